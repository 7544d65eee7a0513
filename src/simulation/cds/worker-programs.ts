import type { Chance, Clock, HttpClient } from '../../ports/index.ts'
import type { GuestProgram } from '../platform/guest-process.ts'
import type { Span } from '../platform/world-options.ts'
import { type JobOutcome, SimulatedWorker } from './simulated-worker.ts'
import { readConfig, readScript, type WorkerScript } from './worker-script.ts'

/** How programs that a hatchery starts in guests behave. */
export interface WorkerProgramsOptions {
  readonly clock: Clock
  readonly chance: Chance
  /** How workers reach the CDS API. */
  readonly http: HttpClient
  /** Milliseconds that a job takes. Default one to five minutes. */
  readonly work?: Span
  /** Milliseconds from the start of the script to the sign-in. Default one to five seconds. */
  readonly start?: Span
  /** How often a worker goes wrong, each between 0 and 1: it never signs in, or its guest freezes in the middle of the job. */
  readonly mishaps?: { readonly silent?: number; readonly freezes?: number; readonly fails?: number }
  /** Ends every program where it is, so that nothing waits for a world that is no more. */
  readonly signal?: AbortSignal
  /** Hears what became of each script. */
  readonly report?: (line: string, program: GuestProgram) => void
}

/** Milliseconds that a command like `env` takes. */
const shortCommand = 100

/** The hook for `SimulatedWorld.onProgram`: plays what a hatchery starts in guests, workers above all. */
export function workerPrograms(options: WorkerProgramsOptions): (program: GuestProgram) => void {
  const { clock, chance, http, work = [60_000, 300_000], start = [1_000, 5_000], mishaps = {}, report = () => {} } = options
  const { signal = new AbortController().signal } = options
  const draw = ([from, to]: Span) => from + Math.floor(chance.fraction() * (to - from + 1))
  const outcome = (): JobOutcome => ({ status: chance.fraction() < (mishaps.fails ?? 0) ? 'Fail' : 'Success', milliseconds: draw(work) })

  const runScript = async (program: GuestProgram, script: WorkerScript): Promise<string> => {
    if (script.problem !== undefined) {
      program.exit(2)
      return script.problem
    }
    await clock.sleep(script.startsWorker || script.shutsDown ? draw(start) : shortCommand, signal)
    const said = script.startsWorker ? await runWorker(program, script) : 'no worker'
    if (said === 'frozen') return said
    if (script.shutsDown) program.shutDown()
    else program.exit(0)
    return said
  }

  const runWorker = async (program: GuestProgram, script: WorkerScript): Promise<string> => {
    if (chance.fraction() < (mishaps.silent ?? 0)) return 'frozen'
    const config = readConfig(program.environment)
    if (config === undefined) return 'there is no CDS_CONFIG that can be read'
    if (script.download !== undefined) {
      const got = await http.send({ method: 'GET', url: script.download, timeout: 120_000 }).catch(() => undefined)
      if (got?.status !== 200) return `the worker could not be downloaded (${got?.status ?? 'no answer'})`
    }
    const freezes = chance.fraction() < (mishaps.freezes ?? 0)
    const frozenAt = freezes ? clock.monotonic() + draw(work) : Infinity
    const lives = () => program.running() && clock.monotonic() < frozenAt
    const said = await new SimulatedWorker(config, { clock, http, lives, outcome, signal }).run(script.registers)
    return program.running() && !lives() ? 'frozen' : said
  }

  const ending = (error: unknown): string => {
    if (!signal.aborted) throw error
    return 'its world has ended'
  }

  return program => {
    if (program.program === '/bin/echo' && program.args.startsWith('-n ;')) {
      void runScript(program, readScript(program.args.slice('-n ;'.length)))
        .catch(ending)
        .then(said => report(said, program))
    } else clock.after(shortCommand, () => program.exit(0))
  }
}
