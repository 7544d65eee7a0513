import { expect, test } from 'vitest'
import { DeadlineExceeded, DurationNotValid, Failure, FileNotFound, FileNotWritable, Unreachable } from '../ports/index.ts'
import { StoreError } from '../store/index.ts'
import { ManifestNotValid, Usage, WaitedTooLong } from './errors.ts'
import { exitCodeOf } from './exit-code-of.ts'
import { exitCodes } from './exit-codes.ts'

const failed = (code: string) => new Failure(code, { message: code }, {})

test.each([
  [new Error('a defect'), 'failed'],
  ['not even an error', 'failed'],
  [new StoreError('InternalError', 'a defect'), 'failed'],
  [Usage({ what: '', fix: '' }), 'usage'],
  [DurationNotValid({ text: 'soon' }), 'usage'],
  [FileNotFound({ path: 'aviary.toml' }), 'configuration'],
  [failed('SERVER_CONFIG_NOT_VALID'), 'configuration'],
  [failed('KUBECONFIG_NOT_FOUND'), 'configuration'],
  [failed('SERVER_LISTEN_PORT_IN_USE'), 'listen'],
  [failed('STORE_FOLDER_IN_USE'), 'dataFolder'],
  [failed('STORE_FOLDER_FULL'), 'dataFolder'],
  [failed('STORE_FOLDER_FILE_TAKEN'), 'dataFolder'],
  [failed('STORE_BACKUP_TARGET_NOT_BACKUP'), 'dataFolder'],
  [failed('STORE_DATABASE_DAMAGED'), 'dataFolder'],
  [failed('STORE_DATABASE_UNREADABLE'), 'dataFolder'],
  [failed('STORE_DATABASE_FOREIGN'), 'dataFolder'],
  [failed('STORE_DATABASE_TOO_NEW'), 'dataFolder'],
  [failed('STORE_DATABASE_NOT_MIGRATED'), 'dataFolder'],
  [FileNotWritable({ path: 'data/tls', why: 'permission denied' }), 'dataFolder'],
  [failed('SERVER_AUTHORITY_NOT_USABLE'), 'certificate'],
  [failed('SERVER_CERTIFICATE_NOT_USABLE'), 'certificate'],
  [failed('SERVER_CLUSTER_UNREACHABLE'), 'unreachable'],
  [Unreachable({ target: '', why: '', sent: false }), 'unreachable'],
  [new StoreError('ServiceUnavailable', ''), 'unreachable'],
  [failed('SERVER_CLUSTER_REFUSED'), 'notPermitted'],
  [failed('SERVER_CLUSTER_NOT_PREPARED'), 'notPermitted'],
  [new StoreError('Unauthorized', ''), 'notPermitted'],
  [new StoreError('Forbidden', ''), 'notPermitted'],
  [new StoreError('NotFound', ''), 'notFound'],
  [new StoreError('Invalid', ''), 'notValid'],
  [ManifestNotValid({ where: '', what: '', fix: '' }), 'notValid'],
  [new StoreError('Conflict', ''), 'conflict'],
  [new StoreError('AlreadyExists', ''), 'conflict'],
  [failed('CRDS_REFUSED'), 'conflict'],
  [failed('VSPHERE_SETTING_NOT_VALID'), 'configuration'],
  [failed('PLATFORM_SIGN_IN_REFUSED'), 'notPermitted'],
  [failed('PLATFORM_INVENTORY_NOT_LIVE'), 'unreachable'],
  [failed('PLATFORM_NOT_THERE'), 'notFound'],
  [WaitedTooLong({ what: '', seconds: 1 }), 'timeout'],
  [DeadlineExceeded({ milliseconds: 1 }), 'timeout'],
] as const)('%s ends the command with the code for %s', (error, name) => {
  expect(exitCodeOf(error)).toBe(exitCodes[name])
})

test('no two reasons share a code', () => {
  expect(new Set(Object.values(exitCodes)).size).toBe(Object.keys(exitCodes).length)
})
