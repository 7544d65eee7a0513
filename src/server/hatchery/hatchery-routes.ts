import type { FastifyInstance } from 'fastify'
import { StoreError } from '../../store/index.ts'
import { type GuardedRouteOptions, guardedRoute } from '../http/guarded-route.ts'
import type { Hatchery } from '../../hatchery/index.ts'
import type { HatcheryHost } from './hatchery-host.ts'

/** What can be seen of a hatchery at this moment, by the last part of its path. */
const views = {
  workers: hatchery => hatchery.workers(),
  pool: hatchery => hatchery.pools(),
  jobs: hatchery => hatchery.jobs(),
  addresses: hatchery => hatchery.addresses(),
  operations: (_, host) => host.operations(),
} satisfies Record<string, View>

type View = (hatchery: Hatchery, host: HatcheryHost) => readonly object[]

/** Shows the hatchery's live tables as JSON under `/hatchery/…`, with the guard of the API. They come from memory and are kept nowhere. */
export function hatcheryRoutes(app: FastifyInstance, guard: GuardedRouteOptions, host: HatcheryHost): void {
  for (const [name, view] of Object.entries(views)) {
    guardedRoute(app, `/hatchery/${name}`, guard, async reply => reply.send({ items: shown(host, view) }))
  }
}

function shown(host: HatcheryHost, view: View): readonly object[] {
  if (host.current === undefined) throw new StoreError('ServiceUnavailable', 'the hatchery is not running at the moment; the log says why')
  try {
    return view(host.current, host)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new StoreError('ServiceUnavailable', `the hatchery does not know yet: ${why}`, { cause: error })
  }
}
