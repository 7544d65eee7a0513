import { controller, type Controller, done, record } from '../../src/control/index.ts'
import { Nest } from '../../src/kinds/index.ts'

/** What each phase is followed by. */
const following = { undefined: 'Building', Building: 'Brooding', Brooding: 'Hatched' } as const

/** A controller that takes so many nests through three phases, each a pass of its own and a durable write, and when it has done so. */
export function walker(objects: number): { readonly controller: Controller; readonly allHatched: Promise<void> } {
  let hatched = 0
  const { promise: allHatched, resolve } = Promise.withResolvers<void>()
  const walk = controller(Nest, {
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
  return { controller: walk, allHatched }
}
