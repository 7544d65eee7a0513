import type { Secret } from '../../ports/index.ts'

/** The longest end of an installer's log that is kept. */
export const longestLog = 256 * 1024

/** The cluster that an installer works on. */
export interface InstallerCluster {
  /** `namespace/name` of the ClusterDeployment. */
  readonly key: string
  readonly clusterName: string
  readonly baseDomain: string
  /** The mark that everything made for the cluster carries. Written down before the installer is first called. */
  readonly infraID: string
  readonly clusterID: string
  /** The name of the platform: `vsphere`. */
  readonly platform: string
  /** What the platform's Secrets hold, by key. */
  readonly credentials: Readonly<Record<string, Secret>>
  /** Environment variables that the pool or the ClusterDeployment wants the installer to have; some may be from Secrets. */
  readonly environment: Readonly<Record<string, Secret>>
}

/** Changes to manifests. No match is an error, and so is one outside the installer's folder. */
export interface ManifestPatch {
  readonly glob: string
  readonly patches: readonly {
    readonly op: string
    readonly path: string
    readonly from?: string
    readonly value?: string
    readonly valueJSON?: string
  }[]
}

/** One attempt to install a cluster. */
export interface InstallRequest extends InstallerCluster {
  /** The name of the ClusterProvision: unique for each attempt. */
  readonly provision: string
  readonly attempt: number
  /** When the attempt began, in milliseconds since 1970. */
  readonly startedAt: number
  /** The whole install-config.yaml. */
  readonly installConfig: Secret
  readonly pullSecret: Secret | undefined
  readonly releaseImage: string | undefined
  /** The mark of an earlier attempt whose remains must be removed first. */
  readonly prevInfraID: string | undefined
  /** Changes to files that the installer makes, to be applied in this order: those whose path matches the glob, by RFC 6902. */
  readonly manifestPatches: readonly ManifestPatch[]
}

/** How far an attempt has come. `again` in milliseconds since 1970: when it is worth asking again. */
export type InstallState =
  | { readonly state: 'installing'; readonly message: string; readonly again?: number; readonly until?: number }
  | {
      readonly state: 'installed'
      readonly apiURL: string
      readonly consoleURL?: string | undefined
      readonly kubeconfig: Secret
      readonly password?: Secret | undefined
      readonly log?: string | undefined
    }
  | {
      readonly state: 'failed'
      readonly reason: string
      readonly message: string
      readonly retryable: boolean
      readonly log?: string | undefined
    }

/** A cluster to remove. */
export interface DestroyRequest extends InstallerCluster {
  /** When the removal was asked for, in milliseconds since 1970. */
  readonly startedAt: number
}

/** How far a removal has come. */
export type DestroyState =
  | { readonly state: 'removing'; readonly message: string; readonly again?: number }
  | { readonly state: 'removed'; readonly log?: string | undefined }
  | { readonly state: 'failed'; readonly message: string; readonly log?: string | undefined }

/** A cluster to start or stop. */
export interface PowerRequest extends InstallerCluster {
  readonly wanted: 'Running' | 'Hibernating'
  /** Since when it is wanted, in milliseconds since 1970. */
  readonly since: number
}

/** How far a start or a stop has come. */
export type PowerState =
  | { readonly state: 'Running' | 'Hibernating' | 'unsupported' }
  | { readonly state: 'changing'; readonly message: string; readonly again?: number }

/**
 * What makes clusters. Every call answers soon and can be repeated at any time, after a crash too: it begins what was not begun,
 * and says how far it has come. None throws for what can go wrong with a cluster; what it throws is tried again after a pause.
 */
export interface Installer {
  /** Begins or follows an attempt. An attempt that was lost (the machine was restarted) is `failed` and `retryable`. */
  install(request: InstallRequest, signal: AbortSignal): Promise<InstallState>
  /** Ends an attempt that is under way and removes everything that carries the mark. `removed` also if there was nothing. */
  destroy(request: DestroyRequest, signal: AbortSignal): Promise<DestroyState>
  /** Starts or stops the cluster's machines. `unsupported`: clusters always run. */
  power(request: PowerRequest, signal: AbortSignal): Promise<PowerState>
  /** Calls back with a cluster's key when it is worth asking about it again. Gives how to unsubscribe. */
  onChange(listener: (key: string) => void): () => void
}
