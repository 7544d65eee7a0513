import { type Answer, textAnswer } from './call.ts'
import { noSuchResource } from './errors.ts'

/** Something that must work for the server to be of use. */
export interface HealthCheck {
  readonly name: string
  /** Rejects or throws if it does not. */
  check(): void | Promise<void>
}

const doors = new Set(['healthz', 'livez', 'readyz'])

/** Whether a path asks how the server is. */
export function asksForHealth(segments: readonly string[]): boolean {
  return segments.length > 0 && doors.has(segments[0]!)
}

/**
 * Answers `ok`, or 500 with what is wrong; `?verbose` lists every check, `?exclude=` leaves some out. Being alive takes less than
 * being ready: only the latter asks the checks, so that a sick disk does not get the process killed in a circle.
 */
export async function healthAnswer(segments: readonly string[], query: URLSearchParams, checks: readonly HealthCheck[]): Promise<Answer> {
  const [door = '', only, ...rest] = segments
  const ping: HealthCheck = { name: 'ping', check: () => {} }
  const all = door === 'livez' ? [ping] : [ping, ...checks]
  const chosen = only === undefined ? all : all.filter(one => one.name === only)
  if (rest.length > 0 || chosen.length === 0) throw noSuchResource()
  const excluded = new Set(query.getAll('exclude'))
  const results = await Promise.all(chosen.map(async one => ({ name: one.name, excluded: excluded.has(one.name), ok: await passes(one) })))
  const healthy = results.every(result => result.ok || result.excluded)
  if (healthy && !query.has('verbose')) return textAnswer(200, 'ok')
  const lines = results.map(result =>
    result.excluded ? `[+]${result.name} excluded: ok` : result.ok ? `[+]${result.name} ok` : `[-]${result.name} failed: reason withheld`,
  )
  return textAnswer(healthy ? 200 : 500, `${lines.join('\n')}\n${door} check ${healthy ? 'passed' : 'failed'}\n`)
}

async function passes({ check }: HealthCheck): Promise<boolean> {
  try {
    await check()
    return true
  } catch {
    return false
  }
}
