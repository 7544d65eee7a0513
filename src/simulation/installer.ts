import { type Clock, Secret } from '../ports/index.ts'

/** How a simulated installer behaves. Times in seconds. */
export interface SimulatedInstallerOptions {
  readonly clock: Clock
  readonly installSeconds: number
  readonly deprovisionSeconds: number
  /** Seconds until a cluster has started or stopped; undefined: clusters always run. */
  readonly powerSeconds?: number | undefined
  /** Every so-manieth attempt fails; 0: none does. */
  readonly failEvery: number
}

interface Cluster {
  readonly key: string
  readonly clusterName: string
  readonly baseDomain: string
  readonly infraID: string
}

/** What is made in the simulated world: clusters, by the mark that they carry. */
export interface SimulatedCluster {
  readonly infraID: string
  /** The name under which the cluster would answer. */
  readonly host: string
}

const stages = ['the bootstrap machine starts', 'the control plane comes up', 'machines join', 'the operators settle']

/**
 * An installer in a world of its own: clusters take time, sometimes fail, and come to life only in memory. What it answers follows from
 * the request and the clock, so that it goes on where it was after a crash.
 */
export class SimulatedInstaller {
  readonly #options: SimulatedInstallerOptions
  readonly #clusters = new Map<string, SimulatedCluster>()
  readonly #attempts = new Map<string, boolean>()

  constructor(options: SimulatedInstallerOptions) {
    this.#options = options
  }

  /** All that was made and not removed. */
  get clusters(): readonly SimulatedCluster[] {
    return [...this.#clusters.values()]
  }

  async install(request: Cluster & { readonly provision: string; readonly startedAt: number; readonly prevInfraID?: string | undefined }) {
    const { clock, installSeconds } = this.#options
    const host = `${request.clusterName}.${request.baseDomain}`
    if (request.prevInfraID !== undefined) this.#clusters.delete(request.prevInfraID)
    this.#clusters.set(request.infraID, { infraID: request.infraID, host })
    const end = request.startedAt + installSeconds * 1000
    const now = clock.now()
    if (now < end) {
      const step = (installSeconds * 1000) / stages.length
      const stage = Math.min(stages.length - 1, Math.max(0, Math.floor((now - request.startedAt) / step)))
      const again = Math.min(end, request.startedAt + (stage + 1) * step)
      return { state: 'installing' as const, message: stages[stage]!, again, until: end }
    }
    if (this.#fails(request.provision))
      return {
        state: 'failed' as const,
        reason: 'SimulatedFailure',
        message: 'the simulation lets this attempt fail',
        retryable: true,
        log: 'level=fatal msg="as told"',
      }
    return {
      state: 'installed' as const,
      apiURL: `https://api.${host}:6443`,
      consoleURL: `https://console.${host}`,
      kubeconfig: new Secret(kubeconfig(host)),
      password: new Secret('fake-password'),
      log: 'level=info msg="Install complete!"',
    }
  }

  async destroy({ infraID, startedAt }: Cluster & { readonly startedAt: number }) {
    const { clock, deprovisionSeconds } = this.#options
    const end = startedAt + deprovisionSeconds * 1000
    if (clock.now() < end && this.#clusters.has(infraID))
      return { state: 'removing' as const, message: 'machines are being removed', again: end }
    this.#clusters.delete(infraID)
    return { state: 'removed' as const }
  }

  async power({ wanted, since }: Cluster & { readonly wanted: 'Running' | 'Hibernating'; readonly since: number }) {
    const { clock, powerSeconds } = this.#options
    if (powerSeconds === undefined) return { state: 'unsupported' as const }
    const end = since + powerSeconds * 1000
    if (clock.now() >= end) return { state: wanted }
    return { state: 'changing' as const, message: wanted === 'Running' ? 'machines start' : 'machines stop', again: end }
  }

  /** Nothing happens here by itself: whoever waits was told when to ask again. */
  onChange(): () => void {
    return () => {}
  }

  #fails(provision: string): boolean {
    const { failEvery } = this.#options
    if (failEvery === 0) return false
    const known = this.#attempts.get(provision)
    if (known !== undefined) return known
    const fails = (this.#attempts.size + 1) % failEvery === 0
    this.#attempts.set(provision, fails)
    return fails
  }
}

function kubeconfig(host: string): string {
  return `apiVersion: v1\nkind: Config\nclusters:\n- name: ${host}\n  cluster: {server: "https://api.${host}:6443"}\nusers:\n- name: admin\n  user: {}\ncontexts:\n- name: admin\n  context: {cluster: ${host}, user: admin}\ncurrent-context: admin\n`
}
