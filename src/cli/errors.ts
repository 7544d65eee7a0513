import { failure } from '../ports/index.ts'

/** The command line makes no sense. */
export const Usage = failure('CLI_USAGE', ({ what, fix }: { what: string; fix: string }) => ({ message: what, fix }))

/** A file that should hold objects does not. */
export const ManifestNotValid = failure('CLI_MANIFEST_NOT_VALID', ({ where, what, fix }: { where: string; what: string; fix: string }) => ({
  message: `${where}: ${what}`,
  fix,
}))

/** A file that should hold objects is not there. */
export const ManifestNotFound = failure('CLI_MANIFEST_NOT_FOUND', ({ file }: { file: string }) => ({
  message: `there is no file ${file}`,
  fix: 'name a file that is there, or - to read standard input',
}))

/** What an earlier apply wrote on an object about itself cannot be read. Without it nobody knows which fields a file has given up. */
export const ApplyNoteDamaged = failure(
  'CLI_APPLY_NOTE_DAMAGED',
  ({ object, namespace, note, why }: { object: string; namespace?: string; note: string; why: string }) => {
    const place = namespace === undefined ? '' : ` -n ${namespace}`
    return {
      message: `the annotation ${note} of ${object} is damaged: ${why}`,
      fix: `remove it with: kubectl annotate ${object}${place} ${note}-; then apply again, and take away by hand what the file no longer says`,
    }
  },
)

/** What should be a Kubernetes cluster is a server of Aviary with a store of its own. */
export const ServerIsAviary = failure('CLI_SERVER_IS_AVIARY', ({ server }: { server: string }) => ({
  message: `${server} is no Kubernetes cluster, but a server of Aviary that keeps its objects itself`,
  fix: 'name the kubeconfig of a cluster with --kubeconfig FILE; the embedded engine needs neither CRDs nor --engine kubernetes',
}))

/** What was waited for did not happen in time. */
export const WaitedTooLong = failure('CLI_TIMEOUT', ({ what, seconds }: { what: string; seconds: number }) => ({
  message: `${what} did not happen within ${seconds} s`,
  fix: 'ask why with: aviary why KIND/NAME; or wait longer with --timeout',
}))

/** A backup that arrived is not the whole one. */
export const BackupIncomplete = failure('CLI_BACKUP_INCOMPLETE', ({ got, expected }: { got: number; expected: number }) => ({
  message: `the backup was cut off: ${got} of ${expected} bytes arrived`,
  fix: 'try again; nothing was written',
}))
