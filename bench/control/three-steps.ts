import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { controller, done, record, startControllers } from '../../src/control/index.ts'
import { allKinds, Namespace, Nest } from '../../src/kinds/index.ts'
import { prometheusMetrics, realChance, realClock, silentLog } from '../../src/ports/index.ts'
import { openSqliteStore } from '../../src/store/index.ts'

export interface ThreeSteps {
  readonly objects: number
  readonly seconds: number
  readonly objectsPerSecond: number
}

/** What each phase is followed by. */
const following = { undefined: 'Building', Building: 'Brooding', Brooding: 'Hatched' } as const

/**
 * A controller takes many objects of 2.3 KB, which are there when it starts, through three phases. Each phase is a pass of its
 * own and a durable write.
 */
export async function run({ objects = 10_000 } = {}): Promise<ThreeSteps> {
  const folder = await mkdtemp(join(tmpdir(), 'aviary-three-steps-'))
  const clock = realClock()
  const chance = realChance()
  const store = await openSqliteStore({ folder, kinds: allKinds, clock, chance, log: silentLog })
  try {
    await store.create(Namespace, { metadata: { name: 'bench' }, spec: {} })
    await fill(objects, number => store.create(Nest, draft(number)))
    let hatched = 0
    const { promise: allHatched, resolve } = Promise.withResolvers<void>()
    const walker = controller(Nest, {
      concurrency: 128,
      steps: [
        ({ object }) => {
          const phase = object.status?.phase
          if (phase !== 'Hatched') return record({ phase: following[phase ?? 'undefined'] })
          if (++hatched === objects) resolve()
          return done
        },
      ],
    })
    const began = performance.now()
    const running = startControllers({ store, clock, chance, log: silentLog, metrics: prometheusMetrics(), controllers: [walker] })
    await allHatched
    const seconds = (performance.now() - began) / 1000
    await running.stop()
    return { objects, seconds, objectsPerSecond: objects / seconds }
  } finally {
    await store.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Makes objects, many at a time, so that they share commits. */
async function fill(objects: number, make: (number: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < objects; from += 256) {
    await Promise.all(Array.from({ length: Math.min(256, objects - from) }, (_, offset) => make(from + offset)))
  }
}

function draft(number: number) {
  return {
    metadata: {
      namespace: 'bench',
      name: `nest-${number}`,
      annotations: { 'demo.aviary.dev/notes': 'a note about this nest; '.repeat(30) },
    },
    spec: {
      eggs: number % 12,
      guards: Array.from({ length: 20 }, (_, guard) => ({ name: `guard-${guard}`, post: `branch ${guard}, on the north side` })),
    },
  }
}

if (import.meta.main) console.log(await run())
