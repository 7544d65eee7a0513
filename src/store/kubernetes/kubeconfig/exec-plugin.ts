import { resolve } from 'node:path'
import { z } from 'zod'
import { DeadlineExceeded, Failure, parseTime, Secret } from '../../../ports/index.ts'
import type { Clock, Processes } from '../../../ports/index.ts'
import { CredentialPluginFailed, KubeconfigNotSupported } from './errors.ts'
import type { ClusterEntry, ExecEntry } from './kubeconfig-file.ts'
import type { Entry } from './read-kubeconfig.ts'

/** What a credential plugin gave. */
export interface ExecCredential {
  readonly token: Secret | undefined
  readonly certificate: string | undefined
  readonly key: Secret | undefined
  /** Milliseconds since 1970; undefined if it is good until it is refused. */
  readonly expires: number | undefined
}

export interface ExecPluginOptions {
  readonly exec: ExecEntry
  /** `FILE, user "admin"` */
  readonly where: string
  readonly folder: string
  /** Told to the plugin if it asks for it. */
  readonly cluster: Entry<ClusterEntry>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly processes: Processes
  readonly clock: Clock
}

const versions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']
const timeout = 60_000
/** A credential about to expire is not sent on a journey that it may not survive. */
const leeway = 10_000

const answer = z.object({
  apiVersion: z.string(),
  kind: z.literal('ExecCredential'),
  status: z.object({
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
    expirationTimestamp: z.string().optional(),
  }),
})

/** A program that gives out credentials (client.authentication.k8s.io). It runs when they are needed and only then, one at a time. */
export class ExecPlugin {
  readonly #options: ExecPluginOptions
  #current: Promise<ExecCredential> | undefined
  #expires = Number.POSITIVE_INFINITY

  /** Throws `KubeconfigNotSupported` if the plugin could not be used anyway. */
  constructor(options: ExecPluginOptions) {
    this.#options = options
    const { exec, where } = options
    if (exec.apiVersion === undefined || !versions.includes(exec.apiVersion)) {
      const what = `exec.apiVersion ${exec.apiVersion ?? '(none)'} is not supported`
      throw KubeconfigNotSupported({ where, what, fix: `set it to ${versions[0]}, which current versions of ${exec.command} speak` })
    }
    if (exec.interactiveMode === 'Always') {
      const what = `${exec.command} wants to ask questions (exec.interactiveMode: Always)`
      throw KubeconfigNotSupported({ where, what, fix: 'use a service account token or a client certificate for this context' })
    }
  }

  /** The credential of this moment: the last one, or a new one if there is none or its time is over. */
  async credential(): Promise<ExecCredential> {
    if (this.#options.clock.now() >= this.#expires - leeway) this.#current = undefined
    this.#current ??= this.#run()
    try {
      return await this.#current
    } catch (error) {
      this.#current = undefined
      throw error
    }
  }

  /** The server did not accept what the plugin gave. */
  forget(): void {
    this.#current = undefined
  }

  async #run(): Promise<ExecCredential> {
    this.#expires = Number.POSITIVE_INFINITY
    const { exec, folder, environment, processes } = this.#options
    const own = Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
    const named = exec.env?.map(({ name, value }) => [name, value] as const) ?? []
    const command = exec.command.includes('/') ? resolve(folder, exec.command) : exec.command
    const request = {
      command,
      args: exec.args ?? [],
      environment: Object.fromEntries([...own, ...named, ['KUBERNETES_EXEC_INFO', this.#info()]]),
      timeout,
    }
    const result = await processes.run(request).catch((error: unknown) => {
      throw this.#failed(error instanceof Failure ? error.message : String(error), DeadlineExceeded.is(error))
    })
    if (result.code !== 0) {
      const said = result.stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? ''
      throw this.#failed(`exit code ${result.code ?? result.signal}${said === '' ? '' : `: ${said}`}`)
    }
    const credential = this.#read(result.stdout)
    this.#expires = credential.expires ?? Number.POSITIVE_INFINITY
    return credential
  }

  /** What the plugin is told: that nobody answers its questions and, if it asks, which cluster it is about. */
  #info(): string {
    const { exec, cluster } = this.#options
    const { value } = cluster
    const config = value.extensions?.find(({ name }) => name === 'client.authentication.k8s.io/exec')?.extension
    const about = {
      server: value.server,
      'tls-server-name': value['tls-server-name'],
      'certificate-authority-data': value['certificate-authority-data'],
      config,
    }
    const spec = { interactive: false, ...(exec.provideClusterInfo === true ? { cluster: about } : {}) }
    return JSON.stringify({ apiVersion: exec.apiVersion, kind: 'ExecCredential', spec })
  }

  #read(stdout: string): ExecCredential {
    const { success, data } = answer.safeParse(parsed(stdout))
    if (!success) throw this.#failed('it did not print an ExecCredential')
    const { exec } = this.#options
    if (data.apiVersion !== exec.apiVersion) throw this.#failed(`it speaks ${data.apiVersion}, the kubeconfig says ${exec.apiVersion}`)
    const { token, clientCertificateData, clientKeyData, expirationTimestamp } = data.status
    if (!token && !(clientCertificateData && clientKeyData)) throw this.#failed('it gave neither a token nor a certificate with its key')
    return {
      token: token ? new Secret(token) : undefined,
      certificate: clientCertificateData,
      key: clientKeyData === undefined ? undefined : new Secret(clientKeyData),
      expires: this.#time(expirationTimestamp),
    }
  }

  #time(text: string | undefined): number | undefined {
    try {
      return text === undefined ? undefined : parseTime(text)
    } catch {
      throw this.#failed('its expirationTimestamp is no time')
    }
  }

  #failed(why: string, tooSlow = false) {
    const { exec, where } = this.#options
    const fix = tooSlow
      ? `run ${exec.command} by hand: it may be waiting for somebody to log in`
      : (exec.installHint?.trim() ?? `run ${exec.command} by hand to see more`)
    return CredentialPluginFailed({ where, command: exec.command, why, fix })
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
