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

type Script = (method: string, body: string) => Scripted | Promise<Scripted> | undefined

/** A watch of VMs on a vCenter that answers each wait with the next line of the script; then it says nothing more. */
function watching(lines: readonly Scripted[]) {
  const rest = [...lines]
  return watchingOn(method => (method === 'WaitForUpdatesEx' ? rest.shift() : undefined))
}

/** The same on a vCenter that answers as the script says. */
function watchingOn(script: Script) {
  const clock = new VirtualClock()
  const versions: string[] = []
  const { http, calls } = scriptedVcenter(clock, (method, body) => {
    if (method === 'WaitForUpdatesEx') versions.push(/<version>(.*?)<\/version>/.exec(body)?.[1] ?? '')
    return script(method, body) ?? preliminaries[method] ?? (method === 'WaitForUpdatesEx' ? new Promise(() => {}) : '')
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

  test.each([
    ['comes after a restart of vCenter', true],
    ['outlives an interruption of the network', false],
  ])('leaves one collector in the session that %s', async (_, endsSession) => {
    const alive = new Set<string>()
    let [made, isSignedIn, isDown] = [0, false, false]
    const { clock, names, watch } = watchingOn((method, body) => {
      const target = /<_this type="\w+">(.*?)</.exec(body)?.[1] ?? ''
      if (isDown) return { status: 503, body: '' }
      if (method === 'RetrieveServiceContent') return undefined
      if (method === 'Login') isSignedIn = true
      if (!isSignedIn) return refusal('NotAuthenticated')
      if (method === 'CreatePropertyCollector') {
        alive.add(`collector-${++made}`)
        return `<returnval type="PropertyCollector">collector-${made}</returnval>`
      }
      if (method === 'DestroyPropertyCollector') alive.delete(target)
      if (method !== 'WaitForUpdatesEx') return undefined
      if (!alive.has(target)) return refusal('ManagedObjectNotFound')
      return body.includes('<version></version>') ? set('1', enter('vm-1', 'one')) : undefined
    })
    await clock.advance(1_000)
    isDown = true
    if (endsSession) {
      isSignedIn = false
      alive.clear()
    }
    await clock.advance(60_000)
    expect(names()).toBe('syncing')
    isDown = false
    await clock.advance(60_000)
    expect(names()).toEqual(['one'])
    expect([alive.size, watch.rebuilds]).toEqual([1, 2])
  })
})

describe('an answer that is lost on its way', () => {
  const lost = { status: 502, body: '' }

  test('is asked for again where vCenter counts versions, and nobody doubts anything', async () => {
    const { clock, names, versions, doubts, watch } = watching([
      set('1', enter('vm-1', 'one')),
      set('2', enter('vm-2', 'two')),
      lost,
      set('3', enter('vm-3', 'three')),
    ])
    await clock.advance(1_000)
    expect(names()).toEqual(['one', 'three', 'two'])
    expect([versions, doubts, watch.rebuilds]).toEqual([['', '1', '2', '2', '3'], [], 1])
  })

  test('is asked for once: who does not answer then is not there', async () => {
    const { clock, names, versions, doubts } = watching([
      set('1', enter('vm-1', 'one')),
      set('2', enter('vm-2', 'two')),
      lost,
      lost,
      set('1', enter('vm-1', 'one')),
    ])
    await clock.advance(1_000)
    expect(names()).toEqual(['one'])
    expect([versions, doubts.length]).toEqual([['', '1', '2', '2', '', '1'], 1])
  })

  test.each([
    ['whose versions are all the same: it forgets what it has sent', [set('-', enter('vm-1', 'one')), set('-', enter('vm-2', 'two'))], '-'],
    ['that was in the middle of telling: a part is told once', [set('1', enter('vm-1', 'one')), set('2', enter('vm-2', 'two'), true)], '2'],
  ])('makes everything be read anew from a vCenter %s', async (_, told, last) => {
    const { clock, versions, watch } = watching([...told, lost, set('1', enter('vm-1', 'one'))])
    await clock.advance(1_000)
    expect(versions.slice(2, 4)).toEqual([last, ''])
    expect(watch.rebuilds).toBe(2)
  })

  test('each time, where something in between cuts every silent call: everything is read less and less often', async () => {
    let cut = () => {}
    const { clock, watch } = watchingOn((method, body) => {
      if (method !== 'WaitForUpdatesEx') return undefined
      if (body.includes('<version></version>')) return set('-', enter('vm-1', 'one'))
      return new Promise(resolve => (cut = () => resolve(lost)))
    })
    for (let round = 0; round < 300; round++) {
      await clock.advance(2_000)
      cut()
    }
    expect(watch.rebuilds).toBeGreaterThan(20)
    expect(watch.rebuilds).toBeLessThan(80)
  })
})
