import type { Job } from '../jobs/job.ts'
import type { ProvisionSettings } from '../settings.ts'
import type { Refusal } from './verdict.ts'

/** Whether a V1 job is meant for this region. V2 jobs come from the region's own queue. */
export function checkRegion(
  { requirements }: Pick<Job, 'requirements'>,
  { region, ignoreJobWithNoRegion }: Pick<ProvisionSettings, 'region' | 'ignoreJobWithNoRegion'>,
): Refusal | undefined {
  const wanted = requirements.filter(({ type }) => type === 'region').map(({ value }) => value)
  const here = region === '' ? 'this hatchery has none' : `this hatchery is in "${region}"`
  const other = wanted.find(value => value !== region)
  if (other !== undefined) {
    return {
      gate: 'Region',
      reason: 'OtherRegion',
      message: `the job requires region "${other}", and ${here}`,
      unblock: `a hatchery of region "${other}" must take it`,
    }
  }
  if (wanted.length > 0 || !ignoreJobWithNoRegion) return undefined
  return {
    gate: 'Region',
    reason: 'NoRegion',
    message: 'the job requires no region, and this hatchery ignores such jobs (ignoreJobWithNoRegion)',
    unblock: `add the requirement region "${region}" to the job, or set provision.ignoreJobWithNoRegion to false`,
  }
}
