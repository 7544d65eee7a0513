import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { recordingLog, VirtualClock } from '../ports/index.ts'
import { InventoryNotLive } from './errors.ts'
import { IndexedInventory } from './indexed-inventory.ts'
import type { Vm, VmChange } from './platform.ts'
import { aVm } from './testing/a-vm.ts'

function live(...vms: Vm[]) {
  const clock = new VirtualClock()
  const inventory = new IndexedInventory('test', clock)
  inventory.replace(vms)
  const told: VmChange[] = []
  inventory.onChange(change => told.push(change))
  return { clock, inventory, told }
}

const names = (inventory: IndexedInventory) => Array.from(inventory.all(), vm => vm.name).toSorted()

describe('how far the picture can be believed', () => {
  test('nothing is answered before everything was read once', () => {
    const inventory = new IndexedInventory('test', new VirtualClock())
    const errors = [() => inventory.all(), () => inventory.byId('vm-1'), () => inventory.byName('a'), () => inventory.templates()].map(
      ask => {
        try {
          ask()
        } catch (error) {
          return InventoryNotLive.is(error)
        }
      },
    )
    expect(errors).toEqual([true, true, true, true])
  })

  test('while it is read anew nothing is answered, and afterwards only the differences were told', () => {
    const { inventory, told } = live(aVm({ id: 'vm-1' }), aVm({ id: 'vm-2' }))
    inventory.syncing('the session ended')
    expect(() => inventory.all()).toThrow('the session ended')
    inventory.replace([aVm({ id: 'vm-1' }), aVm({ id: 'vm-3' })])
    expect(names(inventory)).toEqual(['vm-1', 'vm-3'])
    expect(told.map(({ old, now }) => [old?.id, now?.id])).toEqual([
      ['vm-2', undefined],
      [undefined, 'vm-3'],
    ])
  })

  test('a listener never sees a half-changed picture', () => {
    const { inventory } = live(aVm({ id: 'vm-1' }), aVm({ id: 'vm-2' }))
    const seen: string[][] = []
    inventory.onChange(() => seen.push(names(inventory)))
    inventory.replace([aVm({ id: 'vm-3' }), aVm({ id: 'vm-4' })])
    expect(seen).toEqual(Array.from({ length: 4 }, () => ['vm-3', 'vm-4']))
  })

  test('whoever waits for it goes on when it is live, or gives up when told to', async () => {
    const inventory = new IndexedInventory('test', new VirtualClock())
    const stop = new AbortController()
    const given = inventory.whenLive(stop.signal)
    const went = inventory.whenLive(new AbortController().signal)
    stop.abort(new Error('enough'))
    await expect(given).rejects.toThrow('enough')
    inventory.replace([])
    await expect(went).resolves.toBeUndefined()
  })
})

describe('indexes', () => {
  test('follow every change, also when declared late', () => {
    const { inventory } = live(aVm({ id: 'vm-1', addresses: ['10.0.0.1'] }))
    inventory.index('cpus', vm => [String(vm.cpus)])
    expect(inventory.by('cpus', '1').map(vm => vm.id)).toEqual(['vm-1'])
    inventory.put(aVm({ id: 'vm-1', cpus: 4, addresses: ['10.0.0.2'], template: true }))
    expect(inventory.by('cpus', '1')).toEqual([])
    expect(inventory.byAddress('10.0.0.1')).toEqual([])
    expect(inventory.byAddress('10.0.0.2').map(vm => vm.id)).toEqual(['vm-1'])
    expect(Array.from(inventory.templates(), vm => vm.id)).toEqual(['vm-1'])
    inventory.drop('vm-1')
    expect(inventory.by('cpus', '4')).toEqual([])
  })

  test('are declared once, and asked for only when declared', () => {
    const { inventory } = live()
    const owner = () => ['a']
    inventory.index('owner', owner)
    inventory.index('owner', owner)
    expect(() => inventory.index('owner', () => ['b'])).toThrow('declared already')
    expect(() => inventory.by('colour', 'red')).toThrow('no index "colour"')
  })
})

describe('own writes', () => {
  test('are visible at once and outweigh a late report, which still brings what the write does not know', () => {
    const old = aVm({ id: 'vm-1', name: 'old' })
    const { inventory } = live(old)
    inventory.wrote(aVm({ id: 'vm-1', name: 'new' }))
    inventory.put({ ...old, addresses: ['10.0.0.1'] })
    expect(inventory.byName('new').map(vm => vm.addresses)).toEqual([['10.0.0.1']])
    expect(inventory.byName('old')).toEqual([])
  })

  test('say nothing about fields that they did not change', () => {
    const old = aVm({ id: 'vm-1', name: 'old' })
    const { inventory } = live(old)
    inventory.wrote({ ...old, name: 'new' })
    inventory.put({ ...old, name: 'old', power: 'on' })
    expect(inventory.byId('vm-1')).toMatchObject({ name: 'new', power: 'on' })
  })

  test('are forgotten when the watch confirms them, so that the next report counts', () => {
    const { inventory } = live(aVm({ id: 'vm-1', name: 'old' }))
    inventory.wrote(aVm({ id: 'vm-1', name: 'new' }))
    inventory.put(aVm({ id: 'vm-1', name: 'new' }))
    inventory.put(aVm({ id: 'vm-1', name: 'newer' }))
    expect(names(inventory)).toEqual(['newer'])
  })

  test('a contradiction that nothing resolves comes true when the doubt ends', async () => {
    const { clock, inventory, told } = live(aVm({ id: 'vm-1', name: 'old' }))
    inventory.wrote(aVm({ id: 'vm-1', name: 'new' }))
    inventory.put(aVm({ id: 'vm-1', name: 'renamed by somebody else' }))
    expect(names(inventory)).toEqual(['new'])
    await clock.advance(30_000)
    expect(names(inventory)).toEqual(['renamed by somebody else'])
    expect(told.map(({ now }) => now?.name)).toEqual(['new', 'renamed by somebody else'])
  })

  test('a write that nothing contradicts stays when the doubt ends', async () => {
    const { clock, inventory } = live(aVm({ id: 'vm-1', name: 'old' }))
    inventory.wrote(aVm({ id: 'vm-1', name: 'new' }))
    await clock.advance(60_000)
    expect(names(inventory)).toEqual(['new'])
  })

  test('a VM that was just made survives a picture that was taken before it, one that never shows up does not', async () => {
    const { clock, inventory } = live()
    inventory.wrote(aVm({ id: 'vm-1' }))
    inventory.replace([])
    expect(names(inventory)).toEqual(['vm-1'])
    await clock.advance(30_000)
    expect(names(inventory)).toEqual([])
  })

  test('what was done while the watch was away is not doubted before it is back', async () => {
    const { clock, inventory, told } = live(aVm({ id: 'vm-2' }))
    inventory.removed('vm-2')
    inventory.put(aVm({ id: 'vm-2' }))
    inventory.syncing('the session ended')
    inventory.wrote(aVm({ id: 'vm-1' }))
    const before = [...told]
    await clock.advance(60_000)
    expect(told).toEqual(before)
    inventory.replace([aVm({ id: 'vm-1' })])
    expect(told).toEqual(before)
    expect(names(inventory)).toEqual(['vm-1'])
  })

  test('a VM that was made and removed by others before its maker spoke of it is no ghost for ever', async () => {
    const { clock, inventory } = live()
    inventory.put(aVm({ id: 'vm-1' }))
    inventory.drop('vm-1')
    inventory.wrote(aVm({ id: 'vm-1' }))
    await clock.advance(30_000)
    expect(names(inventory)).toEqual([])
  })

  test('a VM that was made, seen and then reported gone is gone', () => {
    const { inventory } = live()
    inventory.wrote(aVm({ id: 'vm-1', name: 'a' }))
    inventory.put(aVm({ id: 'vm-1', name: '' }))
    inventory.drop('vm-1')
    expect(names(inventory)).toEqual([])
  })

  test('a removed VM does not come back by a late report, but does if it is really there', async () => {
    const { clock, inventory } = live(aVm({ id: 'vm-1' }), aVm({ id: 'vm-2' }))
    inventory.removed('vm-1')
    inventory.removed('vm-2')
    inventory.put(aVm({ id: 'vm-1', power: 'on' }))
    inventory.drop('vm-2')
    expect(names(inventory)).toEqual([])
    await clock.advance(30_000)
    expect(names(inventory)).toEqual(['vm-1'])
  })
})

test('a listener that changes something is heard after what it was told, and one that fails harms nobody', () => {
  const log = recordingLog()
  const inventory = new IndexedInventory('test', new VirtualClock(), log)
  inventory.replace([])
  const told: string[] = []
  inventory.onChange(({ now }) => {
    if (now?.name === 'first') inventory.put(aVm({ id: 'vm-2', name: 'second' }))
    throw new Error('oh')
  })
  inventory.onChange(({ now }) => told.push(now!.name))
  inventory.put(aVm({ id: 'vm-1', name: 'first' }))
  expect(told).toEqual(['first', 'second'])
  expect(log.lines).toHaveLength(2)
})

test('whatever is written and reported, in the end the picture is what was last reported, and its indexes agree', () => {
  const id = fc.constantFrom('vm-1', 'vm-2', 'vm-3')
  const vm = fc.record({ id, name: fc.constantFrom('a', 'b'), power: fc.constantFrom('on' as const, 'off' as const) }).map(aVm)
  const step = fc.oneof(
    fc.record({ do: fc.constant('put' as const), vm }),
    fc.record({ do: fc.constant('drop' as const), id }),
    fc.record({ do: fc.constant('wrote' as const), vm }),
    fc.record({ do: fc.constant('removed' as const), id }),
    fc.record({ do: fc.constant('replace' as const), vms: fc.uniqueArray(vm, { selector: one => one.id }) }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.nat(40_000) }),
  )
  const final = fc.uniqueArray(vm, { selector: one => one.id })
  return fc.assert(
    fc.asyncProperty(fc.array(step), final, async (steps, last) => {
      const { clock, inventory } = live()
      const mirror = new Map<string, Vm>()
      inventory.onChange(({ old, now }) => {
        if (now === undefined) mirror.delete(old!.id)
        else mirror.set(now.id, now)
      })
      for (const each of steps) {
        if (each.do === 'put') inventory.put(each.vm)
        else if (each.do === 'drop') inventory.drop(each.id)
        else if (each.do === 'wrote') inventory.wrote(each.vm)
        else if (each.do === 'removed') inventory.removed(each.id)
        else if (each.do === 'replace') inventory.replace(each.vms)
        else await clock.advance(each.ms)
      }
      inventory.replace(last)
      await clock.advance(30_000)
      const expected = last.map(one => `${one.id} ${one.name} ${one.power}`).toSorted()
      expect(Array.from(inventory.all(), one => `${one.id} ${one.name} ${one.power}`).toSorted()).toEqual(expected)
      expect(Array.from(mirror.values(), one => `${one.id} ${one.name} ${one.power}`).toSorted()).toEqual(expected)
      const byName = ['a', 'b'].flatMap(name => inventory.byName(name).map(one => `${one.id} ${one.name} ${one.power}`))
      expect(byName.toSorted()).toEqual(expected)
    }),
    { numRuns: 60 },
  )
})

describe('what the watch has confirmed', () => {
  const never = new AbortController().signal
  const outcomeOf = (work: Promise<void>) => {
    const outcome = { is: 'open' }
    work.then(
      () => (outcome.is = 'confirmed'),
      (error: unknown) => (outcome.is = (error as Error).message),
    )
    return outcome
  }

  test('is what it reported itself; of an own write only when it has shown that too', async () => {
    const { clock, inventory } = live(aVm({ id: 'vm-1' }))
    await inventory.confirmed('vm-1', never)
    inventory.wrote(aVm({ id: 'vm-2', annotation: 'mine' }))
    const outcome = outcomeOf(inventory.confirmed('vm-2', never))
    inventory.put(aVm({ id: 'vm-2' }))
    await clock.advance(1_000)
    expect(outcome.is).toBe('open')
    inventory.put(aVm({ id: 'vm-3' }))
    inventory.put(aVm({ id: 'vm-2', annotation: 'mine' }))
    await clock.advance(0)
    expect(outcome.is).toBe('confirmed')
  })

  test('ends with the doubt about a write that it never shows', async () => {
    const { clock, inventory } = live()
    inventory.wrote(aVm({ id: 'vm-2' }))
    const outcome = outcomeOf(inventory.confirmed('vm-2', never))
    await clock.advance(60_000)
    expect(outcome.is).toContain('there is no VM "vm-2"')
  })

  test('is not asked of a picture that is not live, and not longer than somebody wants to know', async () => {
    const { clock, inventory } = live()
    inventory.wrote(aVm({ id: 'vm-2' }))
    inventory.syncing('the session ended')
    const stop = new AbortController()
    const [patient, impatient] = [outcomeOf(inventory.confirmed('vm-2', never)), outcomeOf(inventory.confirmed('vm-2', stop.signal))]
    stop.abort(new Error('enough'))
    await clock.advance(1_000)
    expect([patient.is, impatient.is]).toEqual(['open', 'enough'])
    inventory.replace([aVm({ id: 'vm-2' })])
    await clock.advance(0)
    expect(patient.is).toBe('confirmed')
  })
})
