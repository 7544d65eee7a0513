import { DeadlineExceeded, Failure } from '../ports/index.ts'
import { StoreError } from '../store/index.ts'
import type { StoreReason } from '../store/index.ts'
import { exitCodes, type ExitCode } from './exit-codes.ts'

const byReason: Readonly<Partial<Record<StoreReason, ExitCode>>> = {
  Unauthorized: exitCodes.notPermitted,
  Forbidden: exitCodes.notPermitted,
  NotFound: exitCodes.notFound,
  Invalid: exitCodes.notValid,
  BadRequest: exitCodes.notValid,
  RequestEntityTooLarge: exitCodes.notValid,
  AlreadyExists: exitCodes.conflict,
  Conflict: exitCodes.conflict,
  ServiceUnavailable: exitCodes.unreachable,
  TooManyRequests: exitCodes.unreachable,
  Timeout: exitCodes.timeout,
}

/** The failures that are not the store's, by the beginning of their code. */
const byCode: readonly (readonly [string, ExitCode])[] = [
  ['CLI_USAGE', exitCodes.usage],
  ['DURATION_NOT_VALID', exitCodes.usage],
  ['CLI_MANIFEST_NOT_FOUND', exitCodes.configuration],
  ['CLI_MANIFEST', exitCodes.notValid],
  ['CLI_APPLY_NOTE', exitCodes.notValid],
  ['CLI_SERVER_IS_AVIARY', exitCodes.configuration],
  ['CLI_TIMEOUT', exitCodes.timeout],
  ['SERVER_CONFIG_', exitCodes.configuration],
  ['SERVER_LISTEN_', exitCodes.listen],
  ['SERVER_AUTHORITY_', exitCodes.certificate],
  ['SERVER_CERTIFICATE_', exitCodes.certificate],
  ['SERVER_CLUSTER_UNREACHABLE', exitCodes.unreachable],
  ['SERVER_CLUSTER_', exitCodes.notPermitted],
  ['KUBECONFIG_', exitCodes.configuration],
  ['CRDS_', exitCodes.conflict],
  ['STORE_FOLDER_', exitCodes.dataFolder],
  ['STORE_DATABASE_', exitCodes.dataFolder],
  ['STORE_BACKUP_', exitCodes.dataFolder],
  ['FILE_NOT_WRITABLE', exitCodes.dataFolder],
  ['FILE_NOT_', exitCodes.configuration],
  ['UNREACHABLE', exitCodes.unreachable],
  ['TRUST_NOT_VALID', exitCodes.configuration],
  ['VSPHERE_SETTING_', exitCodes.configuration],
  ['PLATFORM_SIGN_IN_REFUSED', exitCodes.notPermitted],
  ['PLATFORM_NOT_PERMITTED', exitCodes.notPermitted],
  ['PLATFORM_INVENTORY_NOT_LIVE', exitCodes.unreachable],
  ['PLATFORM_NOT_THERE', exitCodes.notFound],
]

/** The exit code for what ended a command. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof StoreError) return byReason[error.reason] ?? exitCodes.failed
  if (DeadlineExceeded.is(error)) return exitCodes.timeout
  if (!(error instanceof Failure)) return exitCodes.failed
  return byCode.find(([beginning]) => error.code.startsWith(beginning))?.[1] ?? exitCodes.failed
}
