import type { Clock, Log } from '../../ports/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { FleetVm } from '../fleet/fleet-index.ts'
import type { HatcherySettings } from '../settings.ts'

/** What sizes of disks are told from. */
export interface DiskSizesOptions {
  readonly settings: Pick<HatcherySettings, 'flavors'>
  readonly platform: Pick<Platform, 'diskGB'>
  readonly fleet: Pick<Fleet, 'template'>
  readonly clock: Clock
  readonly log: Log
}

interface Known {
  readonly id: string
  readonly size: number | undefined
  readonly until: number
}

const askAgainAfter = 60 * 60_000

/**
 * How large the first disks of VMs are. A disk is its template's, or as large as the flavor wants it: so it is the few templates that
 * are asked for, once an hour, and not every VM.
 */
export class DiskSizes {
  readonly #options: DiskSizesOptions
  readonly #templates = new Map<string, Known>()

  constructor(options: DiskSizesOptions) {
    this.#options = options
  }

  /** GiB; undefined if not known (yet). */
  of({ note }: FleetVm): number | undefined {
    const template = this.#templates.get(templateName(note))?.size
    const wanted = note.flavor === '' ? undefined : this.#options.settings.flavors.find(note.flavor)?.diskSizeGB
    return template === undefined ? undefined : Math.max(template, wanted ?? 0)
  }

  /** Asks for templates of these VMs that are not known. Never rejects. */
  async learn(vms: readonly FleetVm[], signal: AbortSignal): Promise<void> {
    const { platform, fleet, clock, log } = this.#options
    for (const name of new Set(vms.map(({ note }) => templateName(note)))) {
      const template = name === '' ? undefined : fleet.template(name)
      const known = this.#templates.get(name)
      if (template === undefined || (known?.id === template.id && known.until > clock.now())) continue
      try {
        const size = await platform.diskGB(template.id, signal)
        this.#templates.set(name, { id: template.id, size, until: clock.now() + askAgainAfter })
      } catch (error) {
        if (signal.aborted) return
        this.#templates.set(name, { id: template.id, size: undefined, until: clock.now() + askAgainAfter })
        log.debug('the size of a template’s disk is not known', { template: name, error })
      }
    }
  }
}

/** A V1 model's template has the model's bare name. */
function templateName({ vmwareModelPath, workerModelPath }: FleetVm['note']): string {
  return vmwareModelPath === '' ? (workerModelPath.split('/').at(-1) ?? '') : vmwareModelPath
}
