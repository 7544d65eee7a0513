import { CdsRefusal } from './cds-refusal.ts'
import { hearBeat } from './introduction.ts'
import type { Parts } from './parts.ts'
import { hatcheryV2 } from './permissions.ts'
import type { Hatchery, Service } from './records.ts'
import { bodyOf, type Call, json, nothing, type Route, routesFor } from './route.ts'

/** What hatcheries of both versions ask alike: they say that they live, and ask where workers send their logs. */
export function allHatcheries(parts: Parts): readonly Route[] {
  const cdn = () => {
    if (parts.cdn.current === undefined) throw new CdsRefusal('notFound')
    return json(parts.cdn.current)
  }
  const beat = (from: Service | Hatchery, { request }: Call, version: 'v1' | 'v2') => {
    hearBeat(from, bodyOf(request), parts.clock.now())
    parts.witness.tell('heartbeat', { by: from.name, detail: version })
    return nothing
  }
  return [
    routesFor('v1', 'Service')('heartbeat v1', 'POST /services/heartbeat', call => beat(service(call), call, 'v1')),
    routesFor('signed in', 'Hatchery')('heartbeat v2', 'POST /v2/hatchery/heartbeat', call => beat(hatcheryV2(call), call, 'v2')),
    routesFor('v1')('cdn v1', 'GET /config/cdn', cdn),
    routesFor('signed in')('cdn v2', 'GET /v2/config/cdn', cdn),
  ]
}

/** The V1 service that calls, of whatever type, or a refusal. */
function service({ caller }: Call): Service {
  const found = caller?.consumer.kind === 'builtin' ? caller.consumer.service : undefined
  if (found === undefined) throw new CdsRefusal('forbidden')
  return found
}
