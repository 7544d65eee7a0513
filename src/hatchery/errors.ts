import { failure } from '../ports/index.ts'

/** A job asks for a size that the configuration does not have. CDS shows the message to whoever wrote the job. */
export const FlavorNotFound = failure('HATCHERY_FLAVOR_NOT_FOUND', ({ flavor, known }: { flavor: string; known: readonly string[] }) => ({
  message: `flavor "${flavor}" not found in hatchery configuration`,
  fix: known.length === 0 ? 'add flavors to the configuration of the hatchery' : `use one of ${known.join(', ')}`,
}))

/** Nobody told the hatchery how to log in to guests of a model. */
export const CredentialsMissing = failure(
  'HATCHERY_CREDENTIALS_MISSING',
  ({ model, image, key, why }: { model: string; image: string; key: string; why: string }) => ({
    message: `username and/or password not well configured for model "${model}" (image "${image}"): ${why}`,
    fix: `add [[hatchery.vsphere.guestCredentials]] with ${key}, username and password`,
  }),
)

/** The commands of a worker model cannot be made a script. */
export const ScriptNotValid = failure(
  'HATCHERY_SCRIPT_NOT_VALID',
  ({ model, why, known }: { model: string; why: string; known: readonly string[] }) => ({
    message: `the commands of model "${model}" cannot be used: ${why}`,
    fix: `correct the worker model; variables are ${known.join(', ')}`,
  }),
)

/** A script that is to run before the worker did not end well. */
export const PreStartFailed = failure('HATCHERY_PRE_START_FAILED', ({ image, why }: { image: string; why: string }) => ({
  message: `the pre-start script of image "${image}" ${why}`,
  fix: 'try it in a guest by hand; it must end with 0 within two minutes',
}))

/** A stage of starting a worker took too long. */
export const StageTooSlow = failure(
  'HATCHERY_STAGE_TOO_SLOW',
  ({ what, minutes, seen }: { what: string; minutes: number; seen: string }) => ({
    message: `${what} did not happen within ${minutes} min (${seen})`,
  }),
)

/** All stages together took too long. */
export const StartTooSlow = failure('HATCHERY_START_TOO_SLOW', ({ minutes, phase }: { minutes: number; phase: string }) => ({
  message: `starting the worker took longer than ${minutes} min; its last stage was ${phase}`,
}))

/** CDS does not want this hatchery any more, or was away for too long. */
export const HatcheryRejected = failure('HATCHERY_REJECTED', ({ hatchery, why }: { hatchery: string; why: string }) => ({
  message: `hatchery "${hatchery}" cannot go on: ${why}`,
  fix: 'check that CDS can be reached and that the token is still good, then start it again; workers that run are not touched meanwhile',
}))

/** Nobody knows which workers CDS has: what is not known is not none. */
export const WorkersNotKnown = failure('HATCHERY_WORKERS_NOT_KNOWN', ({ why }: { why: string }) => ({
  message: `which workers CDS knows is not known at the moment: ${why}`,
}))
