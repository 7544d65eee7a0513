import type { KeyObject } from 'node:crypto'

/** People and programs are allowed things by group. Jobs and models of `shared.infra` are everybody's. */
export interface Group {
  readonly id: number
  readonly name: string
}

/** What a hatchery of either version says about itself: when it signs in, and with each heartbeat. */
export interface Introduction {
  url: string
  config: object
  key: KeyObject | undefined
  publicKey: string
  lastHeartbeat: number
  /** What its latest heartbeat said. */
  status: readonly unknown[]
}

/** A program that signed in with a V1 token. */
export interface Service extends Introduction {
  readonly id: number
  name: string
  type: string
  region: string | undefined
  ignoreJobWithNoRegion: boolean | undefined
}

/** A hatchery of V2. */
export interface Hatchery extends Introduction {
  readonly id: string
  readonly name: string
  /** The one region that it was granted; undefined before. */
  region: string | undefined
  modelType: string
}

/** Who holds a V1 sign-in token. */
export interface BuiltinConsumer {
  readonly kind: 'builtin'
  readonly id: string
  readonly name: string
  /** Seconds since 1970; the token says the same. */
  issuedAt: number
  /** Milliseconds since 1970; undefined: for ever. */
  readonly expires: number | undefined
  disabled: boolean
  readonly groups: readonly Group[]
  readonly scopes: readonly Scope[]
  /** The service that alone may sign in with it, as far as it is said. */
  readonly bound: {
    readonly name?: string
    readonly type?: string
    readonly region?: string
    readonly ignoreJobWithNoRegion?: boolean
  }
  service: Service | undefined
}

/** Who holds a V2 sign-in token. */
export interface HatcheryConsumer {
  readonly kind: 'hatchery'
  readonly id: string
  issuedAt: number
  readonly expires: number | undefined
  disabled: boolean
  readonly hatchery: Hatchery
}

/** A worker that signed in, V1. */
export interface WorkerConsumerV1 {
  readonly kind: 'worker v1'
  readonly id: string
  readonly worker: WorkerV1
  readonly parent: BuiltinConsumer
}

/** A worker that signed in, V2. */
export interface WorkerConsumerV2 {
  readonly kind: 'worker v2'
  readonly id: string
  readonly worker: WorkerV2
  readonly parent: HatcheryConsumer
}

/** Everybody who may have a session. */
export type Consumer = BuiltinConsumer | HatcheryConsumer | WorkerConsumerV1 | WorkerConsumerV2

/** What a V1 token is good for. */
export type Scope = 'Hatchery' | 'Service' | 'RunExecution' | 'WorkerModel'

/** A requirement of a V1 job or a capability of a V1 model. */
export interface RequirementRecord {
  readonly name: string
  readonly type: string
  readonly value: string
}

/** A message for whoever watches a V1 job. */
export interface SpawnInfo {
  readonly id: string
  readonly args: readonly unknown[]
  readonly time: number
}

/** A job of the V1 queue. When it ends it vanishes from the API, and is kept here for whoever looks on. */
export interface JobV1 {
  readonly id: number
  readonly project: { readonly key: string; readonly id: number }
  readonly workflow: string
  readonly run: number
  readonly name: string
  readonly queued: number
  status: 'Waiting' | 'Building' | 'Success' | 'Fail' | 'Stopped'
  readonly region: string | undefined
  readonly modelType: string
  readonly requirements: readonly RequirementRecord[]
  readonly groups: readonly Group[]
  booking: { readonly service: Service; readonly until: number } | undefined
  readonly infos: SpawnInfo[]
  worker: string | undefined
  reason: string | undefined
  ended: number | undefined
}

/** A message for whoever watches a V2 job. */
export interface JobInfo {
  readonly level: string
  readonly message: string
  readonly time: number
}

/** What a V2 job may be. */
export type StatusV2 =
  | 'Blocked'
  | 'Waiting'
  | 'Scheduling'
  | 'Building'
  | 'Retrying'
  | 'Success'
  | 'Fail'
  | 'Stopped'
  | 'Cancelled'
  | 'Skipped'

/** A run job of V2. */
export interface JobV2 {
  readonly id: string
  readonly project: string
  readonly workflow: string
  readonly run: number
  readonly runId: string
  readonly name: string
  readonly queued: number
  readonly region: string
  readonly model: ModelV2
  readonly runsOn: { readonly model: string; readonly memory: string; readonly flavor: string }
  /** Whether `runs-on` goes over the wire as the bare name of the model. */
  readonly runsOnAsText: boolean
  status: StatusV2
  hatchery: string
  scheduled: number | undefined
  started: number | undefined
  ended: number | undefined
  worker: string
  readonly infos: JobInfo[]
}

/** What a worker of either version is. */
interface Worker {
  readonly id: string
  readonly name: string
  readonly modelName: string
  status: 'Waiting' | 'Building' | 'Disabled'
  lastBeat: number
  readonly program: { readonly version: string; readonly os: string; readonly arch: string }
}

/** A worker of V1. */
export interface WorkerV1 extends Worker {
  readonly version: 1
  readonly hatchery: Service
  readonly model: { readonly id: number; readonly name: string } | undefined
  job: number | undefined
}

/** A worker of V2. */
export interface WorkerV2 extends Worker {
  readonly version: 2
  readonly hatchery: Hatchery
  readonly job: string
}

/** A worker model of V1. */
export interface ModelV1 {
  readonly id: number
  readonly name: string
  readonly group: Group
  readonly type: string
  disabled: boolean
  readonly restricted: boolean
  registeredOs: string | undefined
  registeredArch: string | undefined
  needRegistration: boolean
  checkRegistration: boolean
  lastRegistration: number | undefined
  userLastModified: number
  spawnErrors: number
  lastSpawnError: string | undefined
  readonly isDeprecated: boolean
  capabilities: readonly RequirementRecord[]
  readonly machine: {
    readonly image: string
    readonly flavor?: string
    readonly pre_cmd?: string
    readonly cmd?: string
    readonly post_cmd?: string
    readonly user?: string
    readonly password?: string
  }
  /** By name, as `secrets.x`. */
  readonly secrets: ReadonlyMap<string, string>
  booking: { readonly service: Service; readonly until: number } | undefined
}

/** A worker model of V2, as it stands in a repository. */
export interface ModelV2 {
  readonly name: string
  readonly osarch: string
  readonly type: string
  readonly spec: Readonly<Record<string, unknown>>
}
