import type { ProvisionSettings } from '../settings.ts'
import type { PoolCounts } from './pool-counts.ts'
import type { Refusal } from './verdict.ts'

type Limits = Pick<ProvisionSettings, 'maxWorker' | 'maxConcurrentProvisioning'>

/** Whether one more worker may be started by numbers alone (hatchery §6.4.2, §6.4.3). */
export function checkCapacities(counts: PoolCounts, { maxWorker, maxConcurrentProvisioning }: Limits): Refusal | undefined {
  const { size, pending, starting } = counts
  if (maxWorker > 0 && size >= maxWorker) {
    return {
      gate: 'Capacity',
      reason: 'MaxWorkerReached',
      message: `there are ${size} workers, and maxWorker is ${maxWorker} (${byStatus(counts)})`,
      unblock: `it goes on when a worker ends; to allow more, raise provision.maxWorker above ${maxWorker}, or set it to 0 for no limit`,
    }
  }
  const more = `raise provision.maxConcurrentProvisioning above ${maxConcurrentProvisioning}`
  if (pending >= maxConcurrentProvisioning) {
    return {
      gate: 'Capacity',
      reason: 'TooManyPending',
      message: `${pending} workers are started and not yet known to CDS, and maxConcurrentProvisioning is ${maxConcurrentProvisioning}`,
      unblock: `it goes on when one of them signs in to CDS or is removed; to allow more at a time, ${more}`,
    }
  }
  if (starting >= maxConcurrentProvisioning) {
    return {
      gate: 'Capacity',
      reason: 'TooManyStarting',
      message: `${starting} workers are being started at this moment, and maxConcurrentProvisioning is ${maxConcurrentProvisioning}`,
      unblock: `it goes on when one of them runs; to allow more at a time, ${more}`,
    }
  }
  return undefined
}

type Registering = Pick<ProvisionSettings, 'maxConcurrentRegistering' | 'registerEvery'>

/** Why no model is ever registered here; undefined if models are. */
export function registeringOff({ maxConcurrentRegistering, registerEvery }: Registering): Refusal | undefined {
  const off = (what: string, setting: string): Refusal => ({
    gate: 'Capacity',
    reason: 'RegisteringOff',
    message: `models are not registered here: ${what}`,
    unblock: `set provision.${setting} to 1 or more`,
  })
  if (maxConcurrentRegistering === undefined) return off('maxConcurrentRegistering is -1', 'maxConcurrentRegistering')
  return registerEvery === undefined ? off('registerFrequency is less than 1', 'registerFrequency') : undefined
}

/** Whether one more model may be registered (hatchery §6.4.4). */
export function checkRegistering({ registering }: PoolCounts, settings: Registering): Refusal | undefined {
  const { maxConcurrentRegistering: most = 0 } = settings
  const off = registeringOff(settings)
  if (off !== undefined) return off
  if (registering < most) return undefined
  return {
    gate: 'Capacity',
    reason: 'TooManyRegistering',
    message: `${registering} models are being registered, and maxConcurrentRegistering is ${most}`,
    unblock: `it goes on when one of them is done; to allow more at a time, raise provision.maxConcurrentRegistering above ${most}`,
  }
}

function byStatus({ building, waiting, checking, pending, registering }: PoolCounts): string {
  const parts = Object.entries({ Building: building, Waiting: waiting, Checking: checking, Pending: pending, Registering: registering })
  return parts.flatMap(([status, count]) => (count === 0 ? [] : [`${count} ${status}`])).join(', ')
}
