import { describe, expect, test } from 'vitest'
import { IndexedInventory } from '../../platform/index.ts'
import { Secret, seededChance, silentLog, VirtualClock } from '../../ports/index.ts'
import { Session } from '../soap/session.ts'
import { SoapClient } from '../soap/soap-client.ts'
import { preliminaries, refusal, scriptedVcenter, type Scripted } from '../testing/scripted-vcenter.ts'
import { PropertyWatch } from './property-watch.ts'
import { VmFeed } from './vm-feed.ts'

const change = (path: string, value: string) => `<changeSet><name>${path}</name><op>assign</op><val>${value}</val></changeSet>`
const object = (kind: string, id: string, inside: string) =>
  `<objectSet><kind>${kind}</kind><obj type="VirtualMachine">${id}</obj>${inside}</objectSet>`
const set = (version: string, inside: string, truncated = false) =>
  `<returnval><version>${version}</version><filterSet><filter type="PropertyFilter">filter</filter>${inside}</filterSet><truncated>${truncated}</truncated></returnval>`
const enter = (id: string, name: string) => object('enter', id, change('name', name) + change('config.template', 'false'))

/** A watch of VMs on a vCenter that answers each wait with the next line of the script; then it says nothing more. */
function watching(lines: readonly Scripted[]) {
  const clock = new VirtualClock()
  const versions: string[] = []
  const rest = [...lines]
  const { http, calls } = scriptedVcenter(clock, (method, body) => {
    if (method !== 'WaitForUpdatesEx') return preliminaries[method] ?? ''
    versions.push(/<version>(.*?)<\/version>/.exec(body)?.[1] ?? '')
    return rest.shift() ?? new Promise(() => {})
  })
  const session = new Session({
    soap: new SoapClient('https://vcenter/sdk', http),
    name: 'vCenter',
    user: 'ann',
    password: new Secret('x'),
    clock,
    log: silentLog,
  })
  const inventory = new IndexedInventory('vCenter', clock)
  const doubts: string[] = []
  const watch = new PropertyWatch({
    session,
    watched: [new VmFeed(inventory, async () => ({ type: 'ContainerView', id: 'view' }))],
    clock,
    chance: seededChance(1),
    log: silentLog,
    onDoubt: why => {
      doubts.push(why)
      inventory.syncing(why)
    },
  })
  inventory.syncing('it begins')
  watch.start()
  const names = () => (inventory.state.kind === 'live' ? [...inventory.all()].map(vm => vm.name).toSorted() : inventory.state.kind)
  return { clock, watch, inventory, names, versions, calls, doubts }
}

describe('the watch', () => {
  test('does not call the inventory live before the last part of it has come', async () => {
    const { clock, names, versions } = watching([set('1', enter('vm-1', 'one'), true), set('2', enter('vm-2', 'two'), true)])
    await clock.advance(1000)
    expect(names()).toBe('syncing')
    expect(versions).toEqual(['', '1', '2'])
    const complete = watching([set('1', enter('vm-1', 'one'), true), set('2', enter('vm-2', 'two'))])
    await complete.clock.advance(1000)
    expect(complete.names()).toEqual(['one', 'two'])
  })

  test('follows changes, removed properties, objects that leave and objects that are missing', async () => {
    const { clock, names, inventory } = watching([
      set('1', enter('vm-1', 'one') + enter('vm-2', 'two') + enter('vm-3', 'three')),
      set('2', object('modify', 'vm-1', change('config.annotation', '{"a":1}') + change('name', 'uno'))),
      set(
        '3',
        object('modify', 'vm-1', '<changeSet><name>config.annotation</name><op>indirectRemove</op></changeSet>') +
          object('leave', 'vm-2', ''),
      ),
      set('4', '<missingSet><obj type="VirtualMachine">vm-3</obj><fault/></missingSet>'),
    ])
    await clock.advance(1000)
    expect(names()).toEqual(['uno'])
    expect(inventory.byId('vm-1')).toMatchObject({ name: 'uno', annotation: '', note: undefined })
  })

  test('a VM whose configuration cannot be read for a while stays whose it was, also when everything is read anew', async () => {
    const gone = (path: string) => `<changeSet><name>${path}</name><op>indirectRemove</op></changeSet>`
    const unreachable = change('name', '[gone] one.vmx')
    const { clock, inventory, versions } = watching([
      set(
        '1',
        object('enter', 'vm-1', change('name', 'one') + change('config.template', 'false') + change('config.annotation', '{"a":1}')),
      ),
      set('2', object('modify', 'vm-1', gone('config.annotation') + gone('config.template') + unreachable)),
      refusal('ManagedObjectNotFound'),
      set('1', object('enter', 'vm-1', unreachable)),
    ])
    await clock.advance(1000)
    expect(versions).toEqual(['', '1', '2', '', '1'])
    expect(inventory.byId('vm-1')).toMatchObject({ name: '[gone] one.vmx', annotation: '{"a":1}', note: { a: 1 } })
  })

  test('nothing new in time is no news', async () => {
    const { clock, names, versions, watch } = watching([set('1', enter('vm-1', 'one')), '', ''])
    await clock.advance(1000)
    expect(names()).toEqual(['one'])
    expect(versions).toEqual(['', '1', '1', '1'])
    expect(watch.rebuilds).toBe(1)
  })

  test.each([
    ['a lost answer', { status: 502, body: '' }],
    ['an ended collector', refusal('ManagedObjectNotFound')],
    ['a version that vCenter no longer knows', refusal('InvalidCollectorVersion')],
    ['nonsense', { status: 200, body: '<a>' }],
  ])('after %s everything is read anew, and only differences are told', async (_, trouble) => {
    const { clock, names, inventory, versions, calls } = watching([
      set('1', enter('vm-1', 'one') + enter('vm-2', 'two')),
      trouble,
      set('1', enter('vm-1', 'one') + enter('vm-3', 'three')),
    ])
    const told: string[] = []
    inventory.onChange(({ old, now }) => told.push(`${old?.name ?? '-'} → ${now?.name ?? '-'}`))
    await clock.advance(10_000)
    expect(names()).toEqual(['one', 'three'])
    expect(told).toEqual(['- → one', '- → two', 'two → -', '- → three'])
    expect(versions).toEqual(['', '1', '', '1'])
    expect(calls.filter(call => call === 'DestroyPropertyCollector')).toHaveLength(1)
  })

  test('a vCenter that cannot be reached is asked less and less often', async () => {
    const { clock, versions, names } = watching(Array.from({ length: 1000 }, () => ({ status: 503, body: '' })))
    await clock.advance(10 * 60_000)
    expect(names()).toBe('syncing')
    expect(versions.length).toBeGreaterThan(10)
    expect(versions.length).toBeLessThan(100)
  })

  test('a call that stays silent is given up after its limit', async () => {
    const { clock, names, doubts } = watching([set('1', enter('vm-1', 'one'))])
    await clock.advance(44_000)
    expect(names()).toEqual(['one'])
    await clock.advance(2_000)
    expect(names()).toBe('syncing')
    expect(doubts).toHaveLength(1)
  })
})
