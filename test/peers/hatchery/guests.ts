import { httpClient, realChance, realClock } from '../../../src/ports/index.ts'
import { type GuestProgram, workerPrograms, type WorkerProgramsOptions } from '../../../src/simulation/index.ts'
import { child, children, childText, readXml, refOf } from '../../../src/vsphere/testing/inside.ts'
import type { AnsweredCall } from '../vsphere/fault-proxy.ts'
import { never, type Vcenter } from '../vsphere/vcenter.ts'
import { hurriedClock } from './hurried-clock.ts'

/** A program that was started in a guest, as the vCenter was told. */
export interface StartedProgram {
  readonly vm: string
  readonly program: string
  readonly args: string
  readonly environment: Readonly<Record<string, string>>
}

/** What a test wants to be different about workers. */
export type Manners = Pick<WorkerProgramsOptions, 'work' | 'start' | 'mishaps'>

/**
 * What goes on in guests that only pretend to be there: whoever starts a worker there gets one, which signs in to CDS with what it
 * finds in its environment. It dies with its VM.
 */
export class Guests {
  readonly programs: StartedProgram[] = []
  /** What each worker came to, in the order in which they ended. */
  readonly ends: string[] = []
  readonly #other: Vcenter
  readonly #http = httpClient({ clock: realClock() })
  readonly #clock = hurriedClock()
  readonly #work: [number, number]
  readonly #play: (program: GuestProgram) => void

  constructor(other: Vcenter, { work = [300, 600], start = [50, 100], mishaps = {} }: Manners) {
    this.#other = other
    this.#work = [...work]
    const report = (line: string) => void this.ends.push(line)
    const [clock, http] = [this.#clock, this.#http]
    this.#play = workerPrograms({ clock, chance: realChance(), http, work: this.#work, start, mishaps, report })
  }

  /** From now on jobs take so many milliseconds. Those that are being done are done at once. */
  worksFor(milliseconds: number): void {
    this.#work.splice(0, 2, milliseconds, milliseconds)
    this.#clock.hurry()
  }

  /** What the last worker that was started for a job found in its environment. */
  configOf(job: string | number): Readonly<Record<string, unknown>> | undefined {
    const configs = this.programs.flatMap(({ environment: { CDS_CONFIG: text } }) =>
      text === undefined ? [] : [JSON.parse(Buffer.from(text, 'base64').toString()) as Readonly<Record<string, unknown>>],
    )
    return configs.findLast(config => config['run_job_id'] === job || config['booked_job_id'] === job)
  }

  /** Looks at what the vCenter was asked, and carries out what was started. */
  readonly onAnswer = ({ method, request, status }: AnsweredCall): void => {
    if (method !== 'StartProgramInGuest' || status !== 200) return
    const started = startedProgram(request)
    this.programs.push(started)
    this.#play(this.#running(started))
  }

  async stop(): Promise<void> {
    await this.#http.close()
  }

  #running({ vm: id, ...started }: StartedProgram): GuestProgram {
    const { platform } = this.#other
    const bootedAt = platform.inventory.byId(id)?.bootedAt
    let ended = false
    const vm = () => (platform.inventory.state.kind === 'live' ? platform.inventory.byId(id) : undefined)
    return {
      ...started,
      process: this.programs.length,
      vm,
      running: () => !ended && vm()?.power === 'on' && vm()?.bootedAt === bootedAt,
      exit: () => void (ended = true),
      shutDown: () => {
        ended = true
        void platform.powerOff(id, never).catch(() => {})
      },
    }
  }
}

function startedProgram(request: string): StartedProgram {
  const body = child(readXml(request), 'Body')
  const call = body === undefined ? undefined : child(body, 'StartProgramInGuest')
  const spec = call === undefined ? undefined : child(call, 'spec')
  if (call === undefined || spec === undefined) throw new Error('this starts no program')
  const variables = children(spec, 'envVariables').map(({ text }) => {
    const at = text.indexOf('=')
    return [text.slice(0, at), text.slice(at + 1)] as const
  })
  return {
    vm: refOf(child(call, 'vm')).id,
    program: childText(spec, 'programPath') ?? '',
    args: childText(spec, 'arguments') ?? '',
    environment: Object.fromEntries(variables),
  }
}
