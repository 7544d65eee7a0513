import { type Answer, textAnswer } from './call.ts'
import { noSuchResource } from './errors.ts'

/** Something that must work for the server to be ready. */
export interface HealthCheck {
  readonly name: string
  /** Rejects or throws if it does not. */
  check(): void | Promise<void>
  /** Rejects or throws if it will not work again until the process is restarted. */
  checkAlive?(): void | Promise<void>
}

const doors = new Set(['healthz', 'livez', 'readyz'])

/** Whether a path asks how the server is. */
export function asksForHealth(segments: readonly string[]): boolean {
  return segments.length > 0 && doors.has(segments[0]!)
}

/**
 * Answers `ok`, or 500 with the checks that failed; `?verbose` lists every check, `?exclude=` leaves some out. Liveness fails only where
 * a restart helps: a full disk makes the server unready, but does not get it restarted in a loop.
 */
export async function healthAnswer(segments: readonly string[], query: URLSearchParams, checks: readonly HealthCheck[]): Promise<Answer> {
  const [door = '', only, ...rest] = segments
  const ping: HealthCheck = { name: 'ping', check: () => {} }
  const all = [ping, ...(door === 'livez' ? checks.flatMap(livenessCheck) : checks)]
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

function livenessCheck({ name, checkAlive }: HealthCheck): readonly HealthCheck[] {
  return checkAlive === undefined ? [] : [{ name, check: checkAlive }]
}

async function passes({ check }: HealthCheck): Promise<boolean> {
  try {
    await check()
    return true
  } catch {
    return false
  }
}
