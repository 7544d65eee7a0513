import { type Clock, isoTimeMicro, type Log, type LogFields } from '../../ports/index.ts'

interface Line {
  readonly time: number
  readonly who: string
  readonly text: string
  readonly fields: LogFields
}

/** Everything that happened in a rehearsal, in its order: what tells why a seed fails, and whether two runs of it are the same. */
export class Trace {
  readonly #clock: Clock
  readonly #lines: Line[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Something happened. Texts are made only if somebody wants to read them. */
  tell(who: string, text: string, fields: LogFields = {}): void {
    this.#lines.push({ time: this.#clock.now(), who, text, fields })
  }

  /** The log of one run of a program. It ends with the run. */
  log(who: string, isAlive: () => boolean, context: LogFields = {}): Log {
    const line = (level: string) => (message: string, fields?: LogFields) => {
      if (isAlive()) this.tell(who, level === 'info' ? message : `${level}: ${message}`, { ...context, ...fields })
    }
    return {
      debug: line('debug'),
      info: line('info'),
      warn: line('warn'),
      error: line('error'),
      with: fields => this.log(who, isAlive, { ...context, ...fields }),
    }
  }

  /** For people: a line each, `00:12:03.250 hv1  a job waits  job=7`. */
  text(): readonly string[] {
    const start = this.#lines[0]?.time ?? 0
    // The clock of a rehearsal counts as if the first line were said at midnight.
    return this.#lines.map(({ time, who, text, fields }) => {
      const at = isoTimeMicro(time - start).slice(11, 23)
      const said = Object.entries(fields).flatMap(([name, value]) =>
        value === undefined || name === 'hatchery' ? [] : [`${name}=${shown(value)}`],
      )
      return [at, who.padEnd(8), text, ...said].join('  ')
    })
  }
}

function shown(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.message)
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
