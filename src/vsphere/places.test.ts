import { describe, expect, test } from 'vitest'
import { NotThere } from '../platform/index.ts'
import { SettingNotValid } from './errors.ts'
import { readBelow } from './places.ts'
import { listed, scriptedConnection } from './testing/scripted-connection.ts'
import { refusal } from './testing/scripted-vcenter.ts'

const ref = (type: string, id: string) => `<val type="${type}">${id}</val>`
const folders = { vmFolder: 'vm', hostFolder: 'host', datastoreFolder: 'datastore', networkFolder: 'network' }
const datacenter = Object.fromEntries(Object.entries(folders).map(([property, id]) => [property, ref('Folder', id)]))

interface Given {
  /** What is found below the folders of the datacenter. */
  readonly named?: string
  readonly paths?: Readonly<Record<string, string>>
  /** The session ends before this call. */
  readonly endsBefore?: string
}

/** A vCenter whose only datacenter lies in a folder. It shows nothing through views of sessions that are over. */
function places({ named = '', paths = {}, endsBefore }: Given) {
  let ends = endsBefore
  const { connection, calls } = scriptedConnection((method, body) => {
    const session = calls.filter(call => call === 'Login').length
    const isAbout = (id: string) => body.includes(`>${id}<`)
    if (method === ends && isAbout(`view-${session}`)) {
      ends = undefined
      return refusal('NotAuthenticated')
    }
    const view = isAbout('group-d1') ? 'datacenters' : `view-${session}`
    if (method === 'CreateContainerView') return `<returnval type="ContainerView">${view}</returnval>`
    if (method === 'FindByInventoryPath') return paths[/<inventoryPath>(.*?)</.exec(body)?.[1] ?? ''] ?? ''
    if (method !== 'RetrievePropertiesEx') return undefined
    if (isAbout('datacenters')) return `<returnval>${listed('Datacenter', 'datacenter-1', { name: 'DC0' })}</returnval>`
    if (isAbout('datacenter-1')) {
      const properties = isAbout('parent') ? { parent: ref('Folder', 'group-7') } : datacenter
      return `<returnval>${listed('Datacenter', 'datacenter-1', properties)}</returnval>`
    }
    if (isAbout('group-7')) {
      const properties = isAbout('parent') ? { parent: ref('Folder', 'group-d1') } : { name: 'europe' }
      return `<returnval>${listed('Folder', 'group-7', properties)}</returnval>`
    }
    return `<returnval>${isAbout(`view-${session}`) ? named : ''}</returnval>`
  })
  return { find: connection.places.find.bind(connection.places), calls }
}

describe('a place', () => {
  test('is found by its path below the datacenter, also if that lies in a folder', async () => {
    const { find } = places({ paths: { 'europe/DC0/vm/ci/workers': '<returnval type="Folder">group-9</returnval>' } })
    expect(await find('folder', 'ci/workers')).toEqual({ type: 'Folder', id: 'group-9' })
  })

  test('is found by a name that holds a slash', async () => {
    const { find } = places({ named: listed('Network', 'network-1', { name: 'lab 10%2f100' }) })
    expect(await find('network', 'lab 10/100')).toEqual({ type: 'Network', id: 'network-1' })
  })

  test.each([
    ['resourcePool', 'ClusterComputeResource', 'a cluster or host', '"big/Resources"'],
    ['datastore', 'StoragePod', 'a datastore cluster', 'one of the datastores in it'],
    ['network', 'VmwareDistributedVirtualSwitch', 'a distributed switch', 'one of its port groups'],
  ] as const)('%s is not taken for one that is a %s', async (kind, type, is, fix) => {
    const { find } = places({ named: listed(type, 'domain-1', { name: 'big' }) })
    const error = await find(kind, 'big').catch((refused: unknown) => refused)
    expect(SettingNotValid.is(error) && [error.message, error.fix]).toEqual([expect.stringContaining(is), expect.stringContaining(fix)])
  })

  test('is sought among things of one type by that type: vCenter knows only the name of everything', async () => {
    const asked: string[] = []
    const { connection } = scriptedConnection((method, body) => {
      if (method === 'RetrievePropertiesEx') asked.push(/<propSet><type>(.*?)</.exec(body)?.[1] ?? '')
      return method === 'CreateContainerView' ? '<returnval type="ContainerView">view</returnval>' : undefined
    })
    const folder = { type: 'Folder', id: 'vm' }
    await readBelow(connection.session, folder, ['VirtualMachine'], ['config.template'])
    await readBelow(connection.session, folder, ['Network', 'DistributedVirtualSwitch'], ['name'])
    expect(asked).toEqual(['VirtualMachine', 'ManagedEntity'])
  })

  test('that leads to something else by its path is not there', async () => {
    const { find } = places({ paths: { 'ci/robin': '<returnval type="VirtualMachine">vm-1</returnval>' } })
    expect(NotThere.is(await find('folder', 'ci/robin').catch((error: unknown) => error))).toBe(true)
  })

  test('is not said to be missing because the session ended before the listing was read', async () => {
    const { find, calls } = places({ named: listed('Datastore', 'datastore-1', { name: 'fast' }), endsBefore: 'RetrievePropertiesEx' })
    expect(await find('datastore', 'fast')).toEqual({ type: 'Datastore', id: 'datastore-1' })
    expect(calls.filter(call => call === 'Login')).toHaveLength(2)
  })
})
