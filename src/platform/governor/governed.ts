import { aroundCalls, type PlatformCall } from '../around-calls.ts'
import { InventoryNotLive } from '../errors.ts'
import type { Platform } from '../platform.ts'
import { templateAmong } from '../template-among.ts'
import type { Governor } from './governor.ts'
import { isGoverned, weightOf } from './governor-limits.ts'
import { TemplateDisks } from './template-disks.ts'

/**
 * The same platform, with what makes work for it held back by a governor. One governor serves all who use the platform; each
 * gets a platform of its own that names it, such as `hatchery` or a tenant, and another for work that can wait.
 */
export function governed(platform: Platform, governor: Governor, owner: string, { canWait = false } = {}): Platform {
  const disks = new TemplateDisks(platform)
  return aroundCalls(platform, async (call, next) => {
    if (!isGoverned(call)) return next()
    const { operation, target, signal, clone } = call
    const full = clone !== undefined && disks.isFullClone(clone, signal)
    // Who need not wait for an answer keeps the place in the queue that belongs to this moment.
    const weight = weightOf(operation, typeof full === 'boolean' ? full : await full, governor.limits)
    return governor.run({ owner, operation, target, host: hostOf(platform, call), weight, canWait }, next, signal)
  })
}

/** The host that bears the work: that of the VM, or of the template whose disk is read. Undefined while nothing is known. */
function hostOf({ inventory }: Platform, { target, clone }: PlatformCall): string | undefined {
  try {
    if (clone === undefined) return inventory.byId(target)?.host
    return templateAmong(inventory.byName(clone.template))?.host
  } catch (error) {
    if (InventoryNotLive.is(error)) return undefined
    throw error
  }
}
