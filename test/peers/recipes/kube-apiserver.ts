import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { kubeconfig, writeCredentials } from '../kubernetes/credentials.ts'
import { freePorts } from '../free-ports.ts'
import { goFor, moduleFile } from '../go.ts'
import { flags, keep, untilReady } from '../keep.ts'
import { usePeer, type Workbench } from '../set-up.ts'
import { startEtcd, type EtcdOptions } from './etcd.ts'

/**
 * Builds kube-apiserver from the Go module proxy. Kubernetes' own go.mod asks for v0.0.0 of its staging modules and replaces
 * them by folders of its tree; a module that requires it must replace them by their published versions, v0.MINOR.PATCH.
 */
export async function build(bench: Workbench): Promise<void> {
  const go = await goFor(bench)
  const kubernetes = await moduleFile(go, bench.scratch, 'k8s.io/kubernetes', bench.version)
  const published = bench.version.replace(/^1\./, 'v0.')
  const staging = [...kubernetes.matchAll(/^\s*(k8s\.io\/[a-z-]+) => \.\/staging\//gm)].map(match => match[1] ?? '')
  const folder = join(bench.scratch, 'build-kubernetes')
  mkdirSync(folder)
  const lines = [
    'module build-kubernetes',
    /^go .*$/m.exec(kubernetes)?.[0] ?? 'go 1.25',
    `require k8s.io/kubernetes v${bench.version}`,
    ...staging.filter(name => !name.startsWith('k8s.io/sample-')).map(name => `replace ${name} => ${name} ${published}`),
  ]
  writeFileSync(join(folder, 'go.mod'), `${lines.join('\n')}\n`)
  // Without these it calls itself v0.0.0-master, and clients decide by what it says.
  const named = 'k8s.io/component-base/version'
  const minor = bench.version.split('.')[1]
  const linked = `-s -w -X ${named}.gitVersion=v${bench.version} -X ${named}.gitMajor=1 -X ${named}.gitMinor=${minor}`
  await go(
    ['build', '-trimpath', '-ldflags', linked, '-o', join(bench.into, 'kube-apiserver'), 'k8s.io/kubernetes/cmd/kube-apiserver'],
    folder,
  )
}

/** A running kube-apiserver with an etcd of its own. No controllers run beside it: namespaces stay Terminating, nothing follows owners. */
export interface KubeApiserver {
  readonly url: string
  /** Path of a kubeconfig whose user may do everything (client certificate, group system:masters). */
  readonly kubeconfig: string
  /** Path of a kubeconfig whose user, token-user in group restricted, may do nothing until a role is bound to it. */
  readonly userKubeconfig: string
  /** A bearer token of group system:masters. */
  readonly adminToken: string
  readonly userToken: string
  /** PEM of the CA that signed the server's certificate. */
  readonly ca: string
  /** Path of the audit log; written only if asked for. */
  readonly auditLog: string
  readonly etcdUrl: string
  readonly pids: { readonly etcd: number; readonly kubeApiserver: number }
  stop(): Promise<void>
}

/** What a test may want otherwise. */
export interface KubeApiserverOptions extends EtcdOptions {
  /** Whether to write `auditLog`: the metadata of every request. */
  readonly audit?: boolean
  /** Further flags. */
  readonly args?: readonly string[]
}

// Each of these waits for a controller that does not run here.
const withoutAdmission = 'ServiceAccount,StorageObjectInUseProtection,TaintNodesByCondition'

/** Starts kube-apiserver on a free port of the loopback, with its own CA, RBAC and tokens. Not durable unless asked: it is for tests. */
export async function startKubeApiserver(options: KubeApiserverOptions = {}): Promise<KubeApiserver> {
  const program = await usePeer('kube-apiserver')
  const etcd = await startEtcd({ durable: options.durable ?? false })
  try {
    const [port = 0] = await freePorts(1)
    const url = `https://127.0.0.1:${port}`
    let credentials!: Awaited<ReturnType<typeof writeCredentials>>
    const server = await keep('kube-apiserver', async folder => {
      credentials = await writeCredentials(folder)
      const inside = (name: string) => join(folder, name)
      writeFileSync(inside('kubeconfig'), kubeconfig(url, credentials.ca, credentials.admin), { mode: 0o600 })
      writeFileSync(inside('user.kubeconfig'), kubeconfig(url, credentials.ca, { token: credentials.userToken }), { mode: 0o600 })
      const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] }
      writeFileSync(inside('audit-policy.json'), JSON.stringify(policy))
      return {
        command: program,
        args: [
          ...flags({
            'etcd-servers': etcd.url,
            'bind-address': '127.0.0.1',
            'secure-port': port,
            // A loopback address may not be advertised as an endpoint, so none is.
            'advertise-address': '127.0.0.1',
            'endpoint-reconciler-type': 'none',
            'service-cluster-ip-range': '10.0.0.0/24',
            'tls-cert-file': inside('server.crt'),
            'tls-private-key-file': inside('server.key'),
            'client-ca-file': inside('ca.crt'),
            'token-auth-file': inside('tokens.csv'),
            'service-account-issuer': 'https://kubernetes.default.svc',
            'service-account-key-file': inside('accounts.pub'),
            'service-account-signing-key-file': inside('accounts.key'),
            'authorization-mode': 'RBAC',
            'disable-admission-plugins': withoutAdmission,
            profiling: false,
            ...(options.audit === true ? { 'audit-policy-file': inside('audit-policy.json'), 'audit-log-path': inside('audit.log') } : {}),
          }),
          ...(options.args ?? []),
        ],
      }
    })
    await untilReady(server, () => ready(url, credentials.ca))
    return {
      url,
      kubeconfig: join(server.folder, 'kubeconfig'),
      userKubeconfig: join(server.folder, 'user.kubeconfig'),
      adminToken: credentials.adminToken,
      userToken: credentials.userToken,
      ca: credentials.ca,
      auditLog: join(server.folder, 'audit.log'),
      etcdUrl: etcd.url,
      pids: { etcd: etcd.pid, kubeApiserver: server.pid },
      async stop() {
        // The server first: without its etcd it would take 20 s to end.
        await server.stop()
        await etcd.stop()
      },
    }
  } catch (error) {
    await etcd.stop()
    throw error
  }
}

/** Whether /readyz says so; anonymous users may read it. */
function ready(url: string, ca: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const call = request(`${url}/readyz`, { ca, agent: false, timeout: 5_000 }, response => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    call.on('timeout', () => call.destroy(new Error('no answer')))
    call.on('error', reject)
    call.end()
  })
}
