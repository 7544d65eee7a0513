import { parseTime } from '../../ports/index.ts'
import { Event } from '../../kinds/index.ts'
import { undefinedIf } from '../../store/index.ts'
import { type Controller, controller, type Pass } from '../controller/controller.ts'
import { again, next, type Step } from '../controller/step.ts'
import { parseKey } from '../object-key.ts'

const hour = 3_600_000

/**
 * Removes Events some time after they last happened, an hour unless told otherwise, as Kubernetes does. For the embedded engine;
 * on Kubernetes the cluster does it.
 */
export function eventExpiry({ lifetime = hour }: { readonly lifetime?: number } = {}): Controller {
  return controller(Event, { name: 'event-expiry', steps: [pass => expire(pass, lifetime)] })
}

async function expire({ object, key, now, store }: Pass<Event>, lifetime: number): Promise<Step<Event>> {
  const until = lastHappened(object) + lifetime
  if (now < until) return again(until)
  // Not `remove`, which would tell of it by another event.
  const { resourceVersion } = object.metadata
  const asSeen = resourceVersion === undefined ? {} : { resourceVersion }
  await store.delete(Event, parseKey(key), asSeen).catch(undefinedIf('NotFound'))
  return next
}

function lastHappened({ series, lastTimestamp, eventTime, firstTimestamp, metadata }: Event): number {
  const time = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp
  return time === undefined ? 0 : parseTime(time)
}
