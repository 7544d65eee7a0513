import type { Clock } from '../../ports/index.ts'
import { isUnclear } from './line.ts'

const mostTries = 3
const betweenTries = 250

/** Something that must not be done twice by mistake. */
export interface Once<T> {
  /** Does it and resolves to how it went; rejects as `Line.send` does. */
  readonly act: () => Promise<T>
  /** Looks how it went after all; undefined: it was not done, and can be. */
  readonly look: () => Promise<T | undefined>
}

/**
 * Does something that must not be done twice. If the answer gets lost it looks what became of it before it tries again. Rejects
 * only if that cannot be found out, or if CDS refuses.
 */
export async function once<T>({ act, look }: Once<T>, clock: Clock, signal: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act()
    } catch (error) {
      if (signal.aborted || !isUnclear(error)) throw error
      const outcome = await look()
      if (outcome !== undefined) return outcome
      if (tries === mostTries) throw error
      await clock.sleep(betweenTries, signal)
    }
  }
}
