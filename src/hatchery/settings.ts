import type { AddressNetwork, Flavors, NetworkSettings } from '../platform/index.ts'
import type { Secret } from '../ports/index.ts'

/** Everything that an operator may say about a hatchery, checked, with defaults filled in. Times are in milliseconds. */
export interface HatcherySettings {
  /** The name under which CDS knows it; also the owner's mark on its VMs. */
  readonly name: string
  /** What workers can run, as CDS writes it: `linux/amd64`. Never empty. */
  readonly osArch: readonly string[]
  /** PEM of the RSA key that signs the tokens of workers. */
  readonly key: Secret
  /** Where its own HTTP server listens. Port 0: any free one. */
  readonly http: { readonly address: string; readonly port: number }
  /** The URL that CDS is told for it. */
  readonly url: string
  readonly api: ApiSettings
  readonly cdn: CdnSettings
  readonly provision: ProvisionSettings
  readonly vsphere: HatcheryVsphereSettings
  /** Where guests get their addresses from, in the order of use. None: DHCP. */
  readonly networks: readonly AddressNetwork[]
  readonly workerTtl: number
  readonly workerRegistrationTtl: number
  readonly provisioningInterval: number
  /** VMs that are provisioned at the same time. 0: any number. */
  readonly provisioningPoolSize: number
  readonly killAwolInterval: number
  readonly finishedWorkerGracePeriod: number
  readonly provisioning: readonly ProvisioningEntry[]
  readonly credentials: readonly GuestCredentials[]
  /** Scripts that run in the guest before the worker, by image. */
  readonly preStartScripts: ReadonlyMap<string, string>
  readonly defaultModelsV2: readonly { readonly model: string; readonly binaries: readonly string[] }[]
  /** 0: no limit. */
  readonly maxCpus: number
  readonly maxMemoryMB: number
  readonly flavors: Flavors
  readonly defaultFlavor: string | undefined
  readonly countSmallerFlavorToKeep: number
  /** Whether VMs without our mark count as started workers too, as the original's do. */
  readonly countForeignVms: boolean
}

/** How the CDS API is reached. At least one of the tokens is there. */
export interface ApiSettings {
  /** Without a slash at the end. */
  readonly url: string
  /** Whether its certificate is believed unseen; by the hatchery only if neither `ca` nor `thumbprint` is there. */
  readonly insecure: boolean
  /** PEM of authorities to trust, or the thumbprint of the one certificate. */
  readonly ca?: string | undefined
  readonly thumbprint?: string | undefined
  readonly tokenV1: Secret | undefined
  readonly tokenV2: Secret | undefined
  readonly requestTimeout: number
  readonly maxHeartbeatFailures: number
}

/** Where workers send their logs. What is undefined is asked of the API. */
export interface CdnSettings {
  readonly url: string | undefined
  readonly tcp: string | undefined
  readonly tcpTls: boolean
}

/** What all hatcheries of CDS have in common. */
export interface ProvisionSettings {
  /** 0: no limit. */
  readonly maxWorker: number
  readonly maxConcurrentProvisioning: number
  /** Undefined: models are not registered. */
  readonly maxConcurrentRegistering: number | undefined
  /** Undefined: never. */
  readonly registerEvery: number | undefined
  /** For V1 jobs; V2 jobs have the region of the sign-in. Empty: none. */
  readonly region: string
  readonly ignoreJobWithNoRegion: boolean
  /** Undefined: a job is tried for ever. */
  readonly maxAttempts: number | undefined
  readonly pollV2Queue: boolean
  /** Variables that every worker finds in its environment. */
  readonly environment: Readonly<Record<string, string>>
  readonly worker: WorkerSettings
}

/** What workers are told. */
export interface WorkerSettings {
  /** The API as workers see it. */
  readonly apiUrl: string
  readonly apiInsecure: boolean
  /** The CDN as workers see it; what is undefined is as the hatchery sees it. TLS belongs to the port beside it. */
  readonly cdn: { readonly url: string | undefined; readonly tcp: string | undefined; readonly tcpTls: boolean | undefined }
  readonly basedir: string
  readonly log: {
    readonly level: string
    readonly graylog: {
      readonly host: string
      readonly port: number
      readonly protocol: string
      readonly extraKey: string
      readonly extraValue: string
    }
    readonly syslog: { readonly host: string; readonly port: number; readonly protocol: string; readonly extraTag: string }
  }
}

/** The vCenter and the place in it. */
export interface HatcheryVsphereSettings {
  readonly endpoint: string
  readonly user: string
  readonly password: Secret
  readonly datacenter: string
  readonly datastore: string | undefined
  readonly network: string | undefined
  readonly card: NetworkSettings['card']
  readonly resourcePool: string | undefined
  /** PEM of authorities to trust, or the thumbprint of the one certificate. */
  readonly ca: string | undefined
  readonly thumbprint: string | undefined
}

/** VMs that are to stand ready. */
export interface ProvisioningEntry {
  readonly version: 1 | 2
  /** V1: `group/name` of the worker model; V2: name of the template. */
  readonly model: string
  readonly number: number
  /** Undefined: as the template is, resized when claimed. */
  readonly flavor: string | undefined
}

/** Who may start programs in guests. One of `path` and `image` is there. */
export interface GuestCredentials {
  /** `group/name` of a V1 worker model. */
  readonly path: string | undefined
  /** Name of a template. */
  readonly image: string | undefined
  readonly user: string
  readonly password: Secret
}
