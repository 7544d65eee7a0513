import { failure } from '../ports/index.ts'
import type { ConfigProblem } from './config/problem.ts'

/** The configuration cannot be used. Lists everything that is wrong with it. */
export const ConfigNotValid = failure(
  'SERVER_CONFIG_NOT_VALID',
  ({ file, problems }: { file: string | undefined; problems: readonly ConfigProblem[] }) => ({
    message: problems.map(problem => problemLine(file, problem)).join('\n'),
    fix: 'correct the configuration; docs/configuration.md explains every key',
  }),
)

/** Something about a configuration in one line, beginning with where it is. */
export function problemLine(file: string | undefined, { key, message, fix, position }: ConfigProblem): string {
  const place = position === undefined ? [file] : [file, position.line, position.column]
  const where = place.filter(part => part !== undefined).join(':')
  return `${where === '' ? '' : `${where}: `}${key}: ${message}${fix === undefined ? '' : `; ${fix}`}`
}

/** The authority in the data folder cannot sign. It is never replaced silently: clients trust it. */
export const AuthorityNotUsable = failure('SERVER_AUTHORITY_NOT_USABLE', ({ file, why }: { file: string; why: string }) => ({
  message: `the certificate authority ${file} cannot be used: ${why}`,
  fix: 'check the clock of this machine and restore the file from a backup; or remove it to get a new authority, and hand out the new kubeconfig',
}))

/** The certificate that the configuration names cannot be shown to anybody. */
export const CertificateNotUsable = failure('SERVER_CERTIFICATE_NOT_USABLE', ({ file, why }: { file: string; why: string }) => ({
  message: `the certificate ${file} cannot be used: ${why}`,
  fix: 'correct server.tls.certificate and server.tls.key, or remove both to use a certificate of our own',
}))

/** Nobody can be let in because the port belongs to somebody else. */
export const PortInUse = failure('SERVER_LISTEN_PORT_IN_USE', ({ address }: { address: string }) => ({
  message: `cannot listen on ${address}: the port is in use`,
  fix: 'end the program that uses it, or choose another address: npm start -- --listen HOST:PORT, aviary up --listen HOST:PORT, or server.listen',
}))

/** Nobody can be let in because the machine does not allow it. */
export const ListenFailed = failure('SERVER_LISTEN_FAILED', ({ address, why }: { address: string; why: string }) => ({
  message: `cannot listen on ${address}: ${why}`,
  fix: 'choose an address of this machine and a port above 1023 with --listen HOST:PORT or server.listen',
}))

/** The cluster of the configuration does not answer. */
export const ClusterUnreachable = failure('SERVER_CLUSTER_UNREACHABLE', ({ server, why }: { server: string; why: string }) => ({
  message: `the cluster ${server} cannot be used: ${why}`,
  fix: 'check that this machine reaches it (kubectl --kubeconfig FILE version), or name another with --kubeconfig or engine.context',
}))

/** The cluster answers, but does not let us in or does not let us do our work. */
export const ClusterRefused = failure('SERVER_CLUSTER_REFUSED', ({ server, why }: { server: string; why: string }) => ({
  message: `the cluster ${server} refuses us: ${why}`,
  fix: 'renew the credentials in the kubeconfig, or grant its user the rights that it lacks',
}))

/** The cluster lets us in, but does not know our kinds. */
export const ClusterNotPrepared = failure('SERVER_CLUSTER_NOT_PREPARED', ({ server, resource }: { server: string; resource: string }) => ({
  message: `the cluster ${server} does not know ${resource}`,
  fix: 'install the kinds with: aviary crds install',
}))

/** Two services name the same vCenter and user, and disagree about how to get in. */
export const VcenterSettingsDiffer = failure(
  'SERVER_CONFIG_VCENTER_DIFFERS',
  ({ vcenter, user, field }: { vcenter: string; user: string; field: string }) => ({
    message: `${vcenter} is named twice for the user ${user}, each time with another ${field}`,
    fix: `give both the same ${field}, or let one of them sign in as another user`,
  }),
)
