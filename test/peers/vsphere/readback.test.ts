import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CloneRequest, NetworkSettings } from '../../../src/platform/index.ts'
import { Secret } from '../../../src/ports/index.ts'
import { startVcsim, usePeer, type Vcsim } from '../peer.ts'
import { connectTo, never, type Vcenter } from './vcenter.ts'
import { makeTemplate } from './vcsim-world.ts'

const guest = { user: 'worker', password: 'in the guest' }
let sim: Vcsim
let mine: Vcenter
let template: string

beforeAll(async () => {
  sim = await startVcsim({ vms: 2, cloneMs: 50, taskMs: 20, toolsMs: 100, addressMs: 150, guest })
  mine = await connectTo(sim)
  template = await makeTemplate(mine)
})
afterAll(async () => {
  await mine[Symbol.asyncDispose]()
  await sim.stop()
})

/** What an independent client sees of these VMs. */
async function readBack(...names: string[]): Promise<Record<string, Record<string, unknown>>> {
  const script = fileURLToPath(new URL('readback.py', import.meta.url))
  const { stdout } = await promisify(execFile)(await usePeer('pyvmomi'), [
    script,
    sim.url,
    sim.user,
    sim.password,
    guest.user,
    guest.password,
    ...names,
  ])
  return JSON.parse(stdout) as Record<string, Record<string, unknown>>
}

const request = (name: string, more: Partial<CloneRequest> = {}): CloneRequest => ({
  name,
  annotation: '{"owner":"readback"}',
  template,
  isOurs: vm => vm.name === name,
  ...more,
})

test('pyvmomi reads what was made, claimed, started and run, character by character', async () => {
  const { platform } = mine
  const annotation = '{"text":"é <&> \\"quoted\\" \\n ]]> 😀"}'
  const address = { kind: 'static', address: '10.9.8.7', subnetMask: '255.255.255.0', gateway: '10.9.8.1', dns: ['10.9.8.2'] } as const
  const { id } = await platform.clone(
    request('made', { cpus: 2, memoryMB: 512, guest: { hostName: 'made', domain: 'example.test', address } }),
    never,
  )
  expect(await readBack('made')).toMatchObject({
    made: { annotation: '{"owner":"readback"}', cpus: 2, memoryMB: 512, power: 'poweredOff', template: false, linked: true },
  })
  await platform.claim({ id, expectedName: 'made', name: 'claimed', annotation, cpus: 4, memoryMB: 8192 }, never)
  await platform.powerOn(id, never)
  await platform.waitForGuest(id, never)
  await platform.waitForAddress(id, each => each === '10.9.8.7', never)
  await platform.runInGuest(
    id,
    { user: guest.user, password: new Secret(guest.password), program: '/bin/echo', args: '-n ;<script> & "more"' },
    never,
  )
  await expect
    .poll(async () => (await readBack('claimed'))['claimed'], { timeout: 20_000 })
    .toMatchObject({
      annotation,
      cpus: 4,
      memoryMB: 8192,
      power: 'poweredOn',
      address: '10.9.8.7',
      processes: ['/bin/echo -n ;<script> & "more"'],
    })
  await platform.destroy(id, never)
  expect(await readBack('made', 'claimed')).toEqual({})
})

test('a VM is in the folder and the pool that were asked for, has an address by DHCP, and is found by a new name, as a template too', async () => {
  const { platform, connection } = mine
  const { session, places: there } = connection
  await session.call('CreateFolder', (await there.datacenter()).folders.get('vmFolder')!, { name: 'workers' })
  const share = { reservation: 0, expandableReservation: true, limit: -1, shares: { shares: 4000, level: 'normal' } }
  const poolSpec = { cpuAllocation: share, memoryAllocation: share }
  await session.call('CreateResourcePool', await there.find('resourcePool', undefined), { name: 'ci', spec: poolSpec })
  const guestSettings = { hostName: 'placed', domain: 'example.test', address: { kind: 'dhcp' } } as const
  const places = { folder: 'workers', resourcePool: 'ci' }
  const { id } = await platform.clone(request('placed', { ...places, guest: guestSettings, toolsAfterPowerOn: true }), never)
  await platform.powerOn(id, never)
  const address = await platform.waitForAddress(id, () => true, never)
  expect(await readBack('placed')).toMatchObject({ placed: { folder: 'workers', pool: 'ci', address } })
  await platform.powerOff(id, never)
  await platform.rename(id, 'renamed', never)
  expect(await readBack('placed', 'renamed')).toMatchObject({ renamed: { template: false, annotation: '{"owner":"readback"}' } })
  await platform.markAsTemplate(id, never)
  await platform.rename(id, 'a template', never)
  expect(Object.entries(await readBack('placed', 'renamed', 'a template')).map(([name, vm]) => [name, vm['template']])).toEqual([
    ['a template', true],
  ])
})

test('a disk is as large as was asked for, on the datastore that was asked for, and is the clone’s own then', async () => {
  const { id } = await mine.platform.clone(request('large', { diskGB: 5, datastore: 'LocalDS_0' }), never)
  expect(await readBack('large')).toMatchObject({ large: { disksGB: [5], datastores: ['LocalDS_0'], linked: false } })
  await mine.platform.claim({ id, expectedName: 'large', name: 'larger', annotation: '{"owner":"readback"}', diskGB: 8 }, never)
  expect(await readBack('larger')).toMatchObject({ larger: { disksGB: [8], linked: false } })
})

test('every network card is what was asked for, on standard and distributed networks', async () => {
  const cards: Readonly<Record<NetworkSettings['card'], string>> = {
    e1000: 'VirtualE1000',
    e1000e: 'VirtualE1000e',
    vmxnet2: 'VirtualVmxnet2',
    vmxnet3: 'VirtualVmxnet3',
    pcnet32: 'VirtualPCNet32',
    sriov: 'VirtualSriovEthernetCard',
  }
  const kinds = Object.keys(cards) as NetworkSettings['card'][]
  const networks = { standard: 'VM Network', distributed: 'DC0_DVPG0' }
  const wanted = kinds.flatMap(card =>
    Object.entries(networks).map(([kind, network]) => ({ name: `card-${card}-${kind}`, card, network, kind })),
  )
  for (const { name, card, network } of wanted) await mine.platform.clone(request(name, { network: { network, card } }), never)
  const seen = await readBack(...wanted.map(({ name }) => name))
  for (const { name, card, kind } of wanted) {
    expect(seen[name]?.['cards'], name).toEqual([expect.stringContaining(cards[card])])
    expect(seen[name]?.['networks'], name).toEqual([kind === 'standard' ? 'VM Network' : expect.stringContaining('dvportgroup')])
  }
})

test('a card of another sort alone leaves the VM on the network of its template', async () => {
  await mine.platform.clone(request('card-alone', { network: { card: 'vmxnet3' } }), never)
  const seen = await readBack(template, 'card-alone')
  expect(seen[template]?.['cards']).toEqual([expect.stringContaining('VirtualE1000')])
  expect(seen['card-alone']?.['cards']).toEqual([expect.stringContaining('VirtualVmxnet3')])
  expect(seen['card-alone']?.['networks']).toEqual(seen[template]?.['networks'])
})
