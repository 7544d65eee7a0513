import type { Requirement } from '../jobs/job.ts'

/** Who may ask for a flavor. */
export interface FlavorWishes {
  /** `runs-on` of a V2 job. */
  readonly runsOn?: string
  /** The field of the worker model, V1 or V2. */
  readonly model: string
  /** Of a V1 job. */
  readonly requirements: readonly Requirement[]
  /** The hatchery's default. */
  readonly default: string | undefined
}

/** The name of the flavor in force, the first that is asked for: by a V2 job, its model, a V1 job, the hatchery. Empty: none. */
export function flavorInForce({ runsOn = '', model, requirements, default: usual = '' }: FlavorWishes): string {
  const required = requirements.find(({ type, value }) => type === 'flavor' && value !== '')?.value ?? ''
  return [runsOn, model, required, usual].find(name => name !== '') ?? ''
}
