import { failure } from '../../ports/index.ts'

/** What CDS said no to, and how. */
export interface CdsRefusal {
  /** Method and path. */
  readonly call: string
  readonly status: number
  /** CDS's own number for the error; 0 if it named none. */
  readonly id: number
  readonly why: string
  readonly fix?: string
}

/** CDS answered, and the answer is no. */
export const CdsRefused = failure('HATCHERY_CDS_REFUSED', ({ call, status, id, why, fix }: CdsRefusal) => ({
  message: `CDS refused ${call}: ${why} (status ${status}, error ${id})`,
  ...(fix !== undefined && { fix }),
}))

/** CDS answered something that it should not. Whether it did what was asked is not known. */
export const CdsAnswerNotUnderstood = failure('HATCHERY_CDS_ANSWER_NOT_UNDERSTOOD', ({ call, why }: { call: string; why: string }) => ({
  message: `CDS answered ${call} with something that cannot be used: ${why}`,
  fix: 'check that commonConfiguration.api.http.url is the address of a CDS API, and that no proxy answers in its place',
}))

/** The hatchery's key cannot sign tokens. */
export const HatcheryKeyNotValid = failure('HATCHERY_KEY_NOT_VALID', ({ why }: { why: string }) => ({
  message: `commonConfiguration.rsaPrivateKey cannot be used: ${why}`,
  fix: 'make one with: openssl genrsa 4096, and paste all of it, from the BEGIN line to the END line',
}))

/** A text that should name a worker model as code does not. */
export const ModelReferenceNotValid = failure('HATCHERY_MODEL_REFERENCE_NOT_VALID', ({ reference }: { reference: string }) => ({
  message: `"${reference}" names no worker model`,
  fix: 'write PROJECT/VCS/REPOSITORY/MODEL, with @BRANCH behind it if the branch is not master',
}))

/** A V1 job is known by a number, and this is none. */
export const JobNumberNotValid = failure('HATCHERY_JOB_NUMBER_NOT_VALID', ({ id }: { id: string }) => ({
  message: `"${id}" is not the number of a V1 job`,
}))
