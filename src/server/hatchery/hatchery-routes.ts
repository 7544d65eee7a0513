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

/**
 * What is said of a table as a whole, in a line: of workers what CDS is told with every heartbeat, of jobs why there are none yet while
 * the hatchery starts.
 */
const lines: Partial<Record<keyof typeof views, (hatchery: Hatchery) => string | undefined>> = {
  workers: ({ pool }) => `Workers: ${pool.line()}`,
  jobs: ({ startLine }) => startLine,
}

/** Shows the hatchery's live tables as JSON under `/hatchery/…`, with the guard of the API. They come from memory and are kept nowhere. */
export function hatcheryRoutes(app: FastifyInstance, guard: GuardedRouteOptions, host: HatcheryHost): void {
  for (const name of Object.keys(views) as (keyof typeof views)[]) {
    guardedRoute(app, `/hatchery/${name}`, guard, async reply => reply.send(shown(host, name)))
  }
}

function shown(host: HatcheryHost, name: keyof typeof views): { readonly items: readonly object[]; readonly line: string | undefined } {
  if (host.current === undefined) throw new StoreError('ServiceUnavailable', 'the hatchery is not running at the moment; the log says why')
  try {
    return { items: views[name](host.current, host), line: lines[name]?.(host.current) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new StoreError('ServiceUnavailable', `the hatchery does not know yet: ${why}`, { cause: error })
  }
}
