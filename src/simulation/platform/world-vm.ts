import type { CloneRequest, Vm } from '../../platform/index.ts'
import type { GuestProcess } from './guest-process.ts'
import type { WorldTemplate } from './world-options.ts'

/** A VM in a simulated world: what everybody sees of it, and what only its guest knows. */
export interface WorldVm {
  vm: Vm
  readonly guest: CloneRequest['guest']
  readonly pool: string
  readonly template: WorldTemplate | undefined
  /** Its first disk. One that hangs on the template's cannot grow. */
  disk: { readonly sizeGB: number; readonly linked: boolean }
  /** Grows with each power-on and power-off, so that what an earlier boot set going has no effect on a later one. */
  boots: number
  shuttingDown: boolean
  readonly processes: Map<number, GuestProcess>
}
