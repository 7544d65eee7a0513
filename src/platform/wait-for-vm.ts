import { NotThere } from './errors.ts'
import type { Inventory, Vm } from './platform.ts'

/**
 * Resolves with the first thing that `find` sees in a VM, now or after a change. Rejects with NotThere when the VM goes away,
 * InventoryNotLive if nothing is known to begin with, or the signal's reason.
 */
export function waitForVm<T>(inventory: Inventory, id: string, find: (vm: Vm) => T | undefined, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const look = (vm: Vm | undefined) => {
      if (vm === undefined) return end(() => reject(NotThere({ what: 'VM', name: id })))
      const found = find(vm)
      if (found !== undefined) end(() => resolve(found))
    }
    const stop = () => end(() => reject(signal.reason))
    const forget = inventory.onChange(({ old, now }) => {
      if ((now ?? old)?.id === id) look(now)
    })
    signal.addEventListener('abort', stop, { once: true })
    const end = (settle: () => void) => {
      forget()
      signal.removeEventListener('abort', stop)
      settle()
    }
    try {
      look(inventory.byId(id))
    } catch (error) {
      end(() => reject(error))
    }
  })
}
