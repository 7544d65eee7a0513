import { Unreachable, DeadlineExceeded, Failure, type Secret } from '../../ports/index.ts'
import type { GuestCommand } from '../../platform/index.ts'
import { identityOf } from './assignment.ts'
import type { Attempt } from './attempt.ts'
import type { GuestLogin } from './guest-login.ts'
import { inShell, launchScript } from './launch-script.ts'
import type { SpawnerOptions } from './spawner-options.ts'
import { workerConfig } from './worker-config.ts'

/** Finds out whether the model's commands can be used at all, before a VM is touched for them. ScriptNotValid if not. */
export function mustBeLaunchable(options: SpawnerOptions, attempt: Attempt): void {
  scriptFor(options, attempt, '')
}

/** The command that starts the worker in its guest, with a token that is fresh. */
export async function launch(options: SpawnerOptions, attempt: Attempt): Promise<GuestCommand> {
  const { settings, cds, cdn } = options
  const { assignment, plan, worker, login } = attempt
  const token: Secret = cds.workerToken(identityOf(worker, assignment, plan.model))
  const region = assignment.version === 2 ? (cds.v2?.region ?? '') : settings.provision.region
  const config = workerConfig({
    settings,
    worker,
    model: plan.model,
    version: assignment.version,
    jobId: assignment.jobId,
    region,
    token,
    cdn: await cdn(attempt.waits),
  })
  return {
    ...(login as GuestLogin),
    ...inShell(scriptFor(options, attempt, config.reveal())),
    environment: { ...settings.provision.environment, CDS_CONFIG: config },
  }
}

/** Whether an error leaves open that the worker runs all the same. */
export function isLaunchInDoubt(error: unknown): boolean {
  return Unreachable.is(error) || DeadlineExceeded.is(error) || !(error instanceof Failure)
}

function scriptFor({ settings }: SpawnerOptions, { plan, assignment }: Attempt, config: string): string {
  const registerOnly = assignment.purpose === 'Registration'
  return launchScript({ model: plan.model, registerOnly, apiUrl: settings.provision.worker.apiUrl, config })
}
