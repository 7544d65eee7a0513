import { type Chance, type Clock, Secret } from '../../ports/index.ts'
import type { WorkerIdentity } from './cds.ts'
import { JobNumberNotValid } from './errors.ts'
import type { HatcheryKey } from './hatchery-key.ts'
import { rawNumber } from './reading.ts'

/** Seconds for which a worker can sign in with its token. */
const lifetime = 3600

/** Makes the tokens with which workers sign in. Their claims are read by the API, capital `Worker` and all. */
export function workerTokens(options: {
  readonly hatchery: string
  readonly key: HatcheryKey
  readonly clock: Clock
  readonly chance: Chance
}): (worker: WorkerIdentity) => Secret {
  const { hatchery, key, clock, chance } = options
  return worker => {
    const issued = Math.floor(clock.now() / 1000)
    return new Secret(
      key.signToken({
        iss: hatchery,
        sub: worker.worker,
        jti: chance.uuid(),
        iat: issued,
        exp: issued + lifetime,
        Worker: worker.version === 1 ? claimsV1(worker, hatchery) : claimsV2(worker, hatchery),
      }),
    )
  }
}

/** What CDS calls `worker_model` is the name of the worker. */
function claimsV1(worker: WorkerIdentity, hatchery: string): object {
  return {
    worker_model: worker.worker,
    model: worker.modelId === undefined ? {} : { id: worker.modelId, name: worker.modelName },
    ...(worker.jobId !== '' && { job_id: jobNumber(worker.jobId) }),
    register_only: worker.registerOnly,
    hatchery_name: hatchery,
  }
}

function claimsV2(worker: WorkerIdentity, hatchery: string): object {
  return { worker_model: worker.worker, model_name: worker.modelName, run_job_id: worker.jobId, hatchery_name: hatchery }
}

/** A V1 job's number for JSON, exact however large it is. Throws `JobNumberNotValid`. */
export function jobNumber(id: string): unknown {
  if (!/^[1-9]\d*$/.test(id)) throw JobNumberNotValid({ id })
  return rawNumber(id)
}
