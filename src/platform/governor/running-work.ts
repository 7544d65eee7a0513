import type { Running, Work } from './governor.ts'

/** What is being done on a platform, with the sums that decide what else may begin. */
export class RunningWork {
  readonly #all = new Map<Work, number>()
  readonly #byTarget = new Map<string, Work>()
  readonly #weights = new Map<string, number>()
  readonly #patientWeights = new Map<string, number>()
  #patient = 0

  get size(): number {
    return this.#all.size
  }

  /** How much of it can wait. */
  get patient(): number {
    return this.#patient
  }

  all(): readonly Running[] {
    return Array.from(this.#all, ([work, since]) => ({ ...work, since }))
  }

  /** What is being done with a VM. */
  on(target: string): Work | undefined {
    return this.#byTarget.get(target)
  }

  weightOn(host: string): number {
    return this.#weights.get(host) ?? 0
  }

  /** What of it can wait. */
  patientWeightOn(host: string): number {
    return this.#patientWeights.get(host) ?? 0
  }

  add(work: Work, since: number): void {
    this.#all.set(work, since)
    this.#byTarget.set(work.target, work)
    this.#count(work, 1)
  }

  remove(work: Work): void {
    this.#all.delete(work)
    this.#byTarget.delete(work.target)
    this.#count(work, -1)
  }

  #count({ host, weight, canWait }: Work, by: 1 | -1): void {
    if (canWait === true) this.#patient += by
    if (host === undefined) return
    addTo(this.#weights, host, by * weight)
    if (canWait === true) addTo(this.#patientWeights, host, by * weight)
  }
}

function addTo(sums: Map<string, number>, key: string, amount: number): void {
  const sum = (sums.get(key) ?? 0) + amount
  if (sum === 0) sums.delete(key)
  else sums.set(key, sum)
}
