import { parseTime } from '../../ports/index.ts'
import { Event } from '../../kinds/index.ts'
import { undefinedIf } from '../../store/index.ts'
import { type Controller, controller, type Pass } from '../controller/controller.ts'
import { again, next, type Step } from '../controller/step.ts'
import { parseKey } from '../object-key.ts'

const hour = 3_600_000

/** So far ahead of ours may the clock of whoever tells of something be. What is further ahead is no time at which it happened. */
const clockSkew = 10 * 60_000

/**
 * Removes Events some time after they were made or last happened, an hour unless told otherwise. Kubernetes counts from the last
 * write, whatever an Event says of itself. For the embedded engine; on Kubernetes the cluster does it.
 */
export function eventExpiry({ lifetime = hour }: { readonly lifetime?: number } = {}): Controller {
  return controller(Event, { name: 'event-expiry', steps: [pass => expire(pass, lifetime)] })
}

async function expire({ object, key, now, store }: Pass<Event>, lifetime: number): Promise<Step<Event>> {
  const until = Math.max(madeAt(object), happenedAt(object, now)) + lifetime
  if (now < until) return again(until)
  // Not `remove`, which would tell of it by another event.
  const { resourceVersion } = object.metadata
  const asSeen = resourceVersion === undefined ? {} : { resourceVersion }
  await store.delete(Event, parseKey(key), asSeen).catch(undefinedIf('NotFound'))
  return next
}

function madeAt({ metadata }: Event): number {
  return metadata.creationTimestamp === undefined ? 0 : parseTime(metadata.creationTimestamp)
}

/** When it last happened, in its own words; 0 if it does not say, or says what cannot be. */
function happenedAt({ series, lastTimestamp, eventTime, firstTimestamp }: Event, now: number): number {
  const said = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp
  const time = said === undefined ? 0 : parseTime(said)
  return time > now + clockSkew ? 0 : time
}
