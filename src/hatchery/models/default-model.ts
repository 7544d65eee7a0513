import type { Requirement } from '../jobs/job.ts'
import type { HatcherySettings } from '../settings.ts'

/**
 * The V2 model for a V1 job that names none (hatchery §6.8): the first configured one if the job needs no binary, else the first that
 * has at least one of the binaries. Empty if there is none.
 */
export function defaultModelV2(defaults: HatcherySettings['defaultModelsV2'], requirements: readonly Requirement[]): string {
  const binaries = requirements.filter(({ type }) => type === 'binary').map(({ value }) => value)
  const suits = (has: readonly string[]) => binaries.length === 0 || binaries.some(binary => has.includes(binary))
  return defaults.find(each => suits(each.binaries))?.model ?? ''
}
