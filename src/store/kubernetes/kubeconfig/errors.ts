import { failure } from '../../../ports/index.ts'

/** A kubeconfig cannot be used. `where` is the file, and what in it. */
export const KubeconfigNotValid = failure('KUBECONFIG_NOT_VALID', ({ where, why, fix }: { where: string; why: string; fix?: string }) => ({
  message: `${where}: ${why}`,
  ...(fix === undefined ? {} : { fix }),
}))

/** There is nothing that says where the API server is. */
export const KubeconfigNotFound = failure('KUBECONFIG_NOT_FOUND', ({ looked }: { looked: readonly string[] }) => ({
  message: `found no kubeconfig; looked at ${looked.join(', ')}`,
  fix: 'name one with --kubeconfig FILE or KUBECONFIG=FILE',
}))

/** A kubeconfig asks for something that Aviary does not do, on purpose or not yet. */
export const KubeconfigNotSupported = failure(
  'KUBECONFIG_NOT_SUPPORTED',
  ({ where, what, fix }: { where: string; what: string; fix: string }) => ({ message: `${where}: ${what}`, fix }),
)

/** The program that a kubeconfig names for getting credentials did not give any. */
export const CredentialPluginFailed = failure(
  'KUBECONFIG_CREDENTIAL_PLUGIN_FAILED',
  ({ where, command, why, fix }: { where: string; command: string; why: string; fix: string }) => ({
    message: `${where}: the credential plugin ${command} failed: ${why}`,
    fix,
  }),
)
