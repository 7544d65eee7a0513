import { describe, expect, test } from 'vitest'
import { AddressLease, allKinds } from '../../kinds/index.ts'
import { seededChance, VirtualClock } from '../../ports/index.ts'
import { memoryStore, type StoreError } from '../../store/index.ts'
import { faultyStore } from './faulty-store.ts'
import type { Weather } from './scene.ts'

const key = { name: 'nest' }
const spec = { platform: 'vc', network: 'a', address: '10.0.0.1' }

async function setUp(rates: Weather['store']) {
  const store = memoryStore({ kinds: allKinds, clock: new VirtualClock(), chance: seededChance('store') })
  const there = await store.create(AddressLease, { metadata: key, spec: { ...spec, holder: 'ada' } })
  const faulty = faultyStore(store, { chance: seededChance('faults'), rates })
  const holder = async () => (await store.get(AddressLease, key)).spec.holder
  const holdFor = (name: string) => faulty.update(AddressLease, { ...there, spec: { ...spec, holder: name } })
  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: unknown) => error as StoreError,
    )
  return { store, there, faulty, holder, holdFor, failure }
}

describe('a faulty store', () => {
  test.each([
    ['before', false, 'ada'],
    ['after', true, 'bob'],
  ] as const)('does not answer %s it has written', async (fault, sent, who) => {
    const { failure, holdFor, holder } = await setUp({ [fault]: 1 })
    const error = await failure(holdFor('bob'))
    expect([error?.reason, error?.details.sent]).toEqual(['ServiceUnavailable', sent])
    expect(await holder()).toBe(who)
  })

  test('lets somebody else write first, so that whoever knows only the version before is refused', async () => {
    const { faulty, there, failure, holdFor, holder, store } = await setUp({ conflict: 1 })
    const { resourceVersion = '' } = there.metadata
    expect([(await failure(holdFor('bob')))?.reason, await holder()]).toEqual(['Conflict', 'ada'])
    expect((await failure(faulty.delete(AddressLease, key, { resourceVersion })))?.reason).toBe('Conflict')
    await faulty.delete(AddressLease, key)
    expect((await failure(store.get(AddressLease, key)))?.reason).toBe('NotFound')
  })

  test('breaks off watches: in good order, or so that all must be read anew', async () => {
    const batches = async (rates: Weather['store']) => {
      const { faulty } = await setUp(rates)
      let count = 0
      const watch = faulty.watch(AddressLease, { initialEvents: true, signal: new AbortController().signal })
      for await (const batch of watch) count += batch.length > 0 ? 1 : 0
      return count
    }
    expect(await batches({ before: 1 })).toBe(1)
    await expect(batches({ after: 1 })).rejects.toThrow('fell too far behind')
  })

  test('is as good as the one behind it when nothing is to go wrong', async () => {
    const { holdFor, holder } = await setUp({})
    await holdFor('bob')
    expect(await holder()).toBe('bob')
  })
})
