import { Failure } from '../../ports/index.ts'

/** One thing that must be so. */
export interface Check {
  readonly what: string
  readonly ok: boolean
  /** What was found, if it is worth telling. */
  readonly found?: string
  /** If not ok: what does not work because of it, and what to do. */
  readonly breaks?: string
  readonly fix?: string
}

/** What a check found that is worth telling although all is well. */
export class Told {
  readonly found: string

  constructor(found: string) {
    this.found = found
  }
}

/** What a check found wrong by itself. */
export class Advice extends Error {
  readonly fix: string

  constructor(message: string, fix: string) {
    super(message)
    this.fix = fix
  }
}

/** Looks at something, and notes how it is. */
export function attempt<T>(checks: Check[], what: string, breaks: string, look: () => T): T | undefined {
  try {
    const result = look()
    checks.push({ what, ok: true })
    return result
  } catch (error) {
    checks.push(failed(what, breaks, error))
    return undefined
  }
}

/** The same for what takes its time. */
export async function attemptAsync<T>(checks: Check[], what: string, breaks: string, look: () => Promise<T>): Promise<T | undefined> {
  try {
    const result = await look()
    checks.push({ what, ok: true, ...(result instanceof Told && { found: result.found }) })
    return result
  } catch (error) {
    checks.push(failed(what, breaks, error))
    return undefined
  }
}

/** The check that an error makes. */
export function failed(what: string, breaks: string, error: unknown): Check {
  const fix = error instanceof Failure || error instanceof Advice ? error.fix : undefined
  const found = error instanceof Error ? error.message : String(error)
  return { what, ok: false, found, breaks, fix: fix ?? 'see what was found' }
}
