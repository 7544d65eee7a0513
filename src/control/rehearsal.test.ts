import fc from 'fast-check'
import { expect, test } from 'vitest'
import { allKinds, ConfigMap, Nest } from '../kinds/index.ts'
import { StoreError, type StoreReason } from '../store/index.ts'
import { controller, type Pass } from './controller/controller.ts'
import { done, next, type Step } from './controller/step.ts'
import { owned } from './controller/watches.ts'
import { eventExpiry } from './events/event-expiry.ts'
import { garbageCollector } from './garbage/garbage-collector.ts'
import { FlakyStore } from './testing/flaky-store.ts'
import { nestController } from './testing/nest-controller.ts'
import { startControllers } from './start-controllers.ts'
import { makeWorld, type World } from './testing/world.ts'

/** Lays as many eggs as are wanted: counts each before it is laid, so that a crash in between can be made good. */
const layer = controller(Nest, {
  name: 'layer',
  watches: [owned(ConfigMap)],
  finalizer: 'demo.aviary.dev/eggs',
  steps: [layEggs],
  cleanup: [breakEggs],
})

async function layEggs({ object, read, store }: Pass<Nest>): Promise<Step<Nest>> {
  const laid = Number(object.metadata.annotations?.['laid'] ?? 0)
  const { name, namespace = '', uid = '' } = object.metadata
  for (let n = 0; n < laid; n++) {
    const egg = `${name}-egg-${n}`
    if (read(ConfigMap).get(`${namespace}/${egg}`) !== undefined) continue
    const ownerReferences = [{ apiVersion: object.apiVersion, kind: object.kind, name, uid, controller: true }]
    await store.create(ConfigMap, { metadata: { namespace, name: egg, ownerReferences } }).catch(ignore('AlreadyExists'))
  }
  if (laid >= object.spec.eggs) return done
  const annotations = { ...object.metadata.annotations, laid: String(laid + 1) }
  await store.update(Nest, { ...object, metadata: { ...object.metadata, annotations } })
  return next
}

async function breakEggs({ read, key, store }: Pass<Nest>): Promise<Step<Nest>> {
  const [namespace = '', name = ''] = key.split('/')
  for (const { metadata } of read(ConfigMap).list(namespace)) {
    if (metadata.name.startsWith(`${name}-egg-`))
      await store.delete(ConfigMap, { namespace, name: metadata.name }).catch(ignore('NotFound'))
  }
  return next
}

const ignore =
  (...reasons: readonly StoreReason[]) =>
  (error: unknown) => {
    if (!StoreError.is(error, ...reasons)) throw error
  }

const trouble = fc.record({
  what: fc.constantFrom('cut', 'break', 'expire', 'lose requests', 'lose answers', 'be slow', 'heal', 'crash', 'delete', 'want more'),
  which: fc.nat(4),
  after: fc.constantFrom(10, 500, 5_000, 40_000, 200_000),
})

/** A program that runs on a world's store, by a way of its own that can break. */
function program(world: World) {
  const store = new FlakyStore(world.store)
  const controllers = [nestController, layer, garbageCollector({ kinds: allKinds }), eventExpiry()]
  const running = startControllers({ ...world, store, controllers })
  return {
    store,
    running,
    /** Nothing is told to stop: whatever it was about to do is never done, whatever it asked for is never heard. */
    die: () => {
      store.before = store.after = () => new Promise(() => {})
      store.break()
      store.unreachable = new StoreError('ServiceUnavailable', 'dead')
      void running.stop({ within: 0 })
    },
  }
}

test('whatever breaks, and however often the program dies, every nest gets what it should have, once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(trouble, { maxLength: 20 }), fc.nat(1_000), async (troubles, seed) => {
      const world = await makeWorld({ seed })
      const lose = (share: number) => () => {
        if (world.chance.fraction() < share) throw new StoreError('ServiceUnavailable', 'lost')
      }
      /** How many eggs are wanted in the nests that nobody asked to delete. */
      const wanted = new Map(Array.from({ length: 5 }, (_, n) => [`n${n}`, n]))
      for (const [name, eggs] of wanted) await world.createNest(name, { eggs })
      let current = program(world)
      for (const { what, which, after } of troubles) {
        const { store } = current
        const name = `n${which}`
        if (what === 'lose requests') store.before = lose(0.5)
        else if (what === 'lose answers') store.after = lose(0.5)
        else if (what === 'be slow') store.lag = () => world.clock.sleep(world.chance.integer(1, 3_000))
        else if (what === 'heal') store.before = store.after = store.lag = () => {}
        else if (what === 'delete') {
          await world.deleteNest(name).then(() => wanted.delete(name), ignore('NotFound'))
        } else if (what === 'want more') {
          await world
            .changeNest(name, { eggs: 6 })
            .then(({ spec }) => wanted.has(name) && wanted.set(name, spec.eggs), ignore('NotFound', 'Conflict'))
        } else if (what === 'crash') {
          current.die()
          current = program(world)
        } else store[what]()
        await world.clock.advance(after)
      }
      current.store.before = current.store.after = current.store.lag = () => {}
      await world.clock.advance(7_200_000)
      const nests = (await world.store.list(Nest)).items.map(({ object }) => object)
      expect(nests.map(({ metadata, spec }) => [metadata.name, spec.eggs])).toEqual([...wanted])
      for (const nest of nests) {
        expect(nest.metadata.deletionTimestamp).toBeUndefined()
        expect(nest.status).toMatchObject({ phase: 'Hatched', hatched: nest.spec.eggs })
      }
      const eggs = (await world.store.list(ConfigMap)).items.map(({ object }) => object.metadata.name)
      const expected = nests.flatMap(({ metadata, spec }) => Array.from({ length: spec.eggs }, (_, n) => `${metadata.name}-egg-${n}`))
      expect(eggs.toSorted()).toEqual(expected.toSorted())
      await current.running.stop()
    }),
    { numRuns: 25 },
  )
})
