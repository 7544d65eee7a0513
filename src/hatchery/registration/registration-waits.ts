import { registeringOff } from '../gates/capacities.ts'
import type { Refusal } from '../gates/verdict.ts'
import type { ProvisionSettings } from '../settings.ts'

/** Why a model that must be registered is not: one word, a sentence with its numbers, and what would help. */
export type RegistrationWait = Pick<Refusal, 'reason' | 'message' | 'unblock'>

/** What keeps V1 models from their registration, by `group/name`: the jobs that want them wait for it, and say so. */
export class RegistrationWaits {
  readonly #off: RegistrationWait | undefined
  readonly #waits = new Map<string, RegistrationWait>()

  constructor(settings: Pick<ProvisionSettings, 'maxConcurrentRegistering' | 'registerEvery'>) {
    this.#off = registeringOff(settings)
  }

  /** Why a model is not registered yet; undefined if nothing is known to speak against it. */
  of(path: string): RegistrationWait | undefined {
    return this.#off ?? this.#waits.get(path)
  }

  /** A model has to wait, or is being registered. Tells whether that is another reason than before. */
  begin(path: string, wait: RegistrationWait): boolean {
    const before = this.#waits.get(path)
    this.#waits.set(path, wait)
    return before?.reason !== wait.reason
  }

  /** A model needs no registration, or none any more. */
  end(path: string): void {
    this.#waits.delete(path)
  }
}
