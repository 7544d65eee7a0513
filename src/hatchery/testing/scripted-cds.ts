import { Secret } from '../../ports/index.ts'
import type { Cds, CdsV1, CdsV2, RegisteredWorker, V1Model } from '../cds/cds.ts'
import { bareJob } from '../jobs/bare-job.ts'
import type { Job } from '../jobs/job.ts'

/** A CDS that answers what a test says, and remembers what it was told. */
export class ScriptedCds implements Cds {
  readonly workers: RegisteredWorker[] = []
  readonly jobs = new Map<string, Job>()
  models: V1Model[] = []
  /** `release 42`, `modelError shared.infra/debian: …` and so on. */
  readonly told: string[] = []
  /** Calls that fail, by name: `v1.workers`. */
  readonly failing = new Set<string>()
  readonly v1: CdsV1
  readonly v2: CdsV2

  constructor() {
    this.v1 = this.#v1()
    this.v2 = this.#v2()
  }

  workerToken(): Secret {
    return new Secret('worker-token')
  }

  /** A worker signs in. */
  register(name: string, given: Partial<RegisteredWorker> = {}): void {
    const worker = {
      version: 2 as const,
      id: `worker-${this.workers.length + 1}`,
      name,
      status: 'Building',
      jobId: '',
      modelName: '',
      raw: {},
    }
    this.workers.push({ ...worker, ...given })
  }

  #v1(): CdsV1 {
    return {
      ...this.#both(1, 'v1'),
      book: async () => true,
      release: async jobId => void this.told.push(`v1.release ${jobId}`),
      spawnInfo: async () => {},
      fail: async () => {},
      disableWorker: async id => void this.told.push(`disable ${id}`),
      models: async () => this.#answer('v1.models', () => [...this.models]),
      model: async path => this.#answer('v1.model', () => this.models.find(each => `${each.group}/${each.name}` === path)),
      modelSecrets: async () => this.#answer('v1.modelSecrets', () => new Map([['secrets.password', new Secret('guest-password')]])),
      bookModel: async path => this.#answer('v1.bookModel', () => this.told.push(`bookModel ${path}`) > 0),
      modelError: async (path, error) => this.#answer('v1.modelError', () => void this.told.push(`modelError ${path}: ${error}`)),
      signOut: async () => {},
    }
  }

  #v2(): CdsV2 {
    return {
      ...this.#both(2, 'v2'),
      region: 'test',
      take: async () => true,
      release: async jobId => this.#answer('v2.release', () => void this.told.push(`release ${jobId}`)),
      info: async () => {},
      model: async () => undefined,
    }
  }

  #both(version: 1 | 2, side: string) {
    return {
      signIn: async () => {},
      heartbeat: async () => {},
      cdn: async () => undefined,
      waitingJobs: async () => [],
      job: async (id: string) => this.#answer(`${side}.job`, () => this.jobs.get(id)),
      workers: async () => this.#answer(`${side}.workers`, () => this.workers.filter(worker => worker.version === version)),
    }
  }

  #answer<T>(call: string, answer: () => T): T {
    if (this.failing.has(call)) throw new Error(`${call} fails`)
    return answer()
  }
}

/** A V2 job that this hatchery took. */
export function takenJob(id: string, given: Partial<Job> = {}): Job {
  return bareJob({ version: 2, id, project: 'KEY', status: 'Scheduling', takenBy: 'aviary', ...given })
}

/** A V1 worker model, registered and in order. */
export function v1Model(given: Partial<V1Model> = {}): V1Model {
  return {
    id: 1,
    name: 'debian',
    group: 'shared.infra',
    type: 'vsphere',
    disabled: false,
    restricted: false,
    registeredOs: 'linux',
    registeredArch: 'amd64',
    needRegistration: false,
    checkRegistration: false,
    userLastModified: 1_700_000_000,
    spawnErrors: 0,
    isDeprecated: false,
    capabilities: [],
    image: 'debian12',
    flavor: '',
    preCmd: '',
    cmd: './worker',
    postCmd: 'sudo shutdown -h now',
    user: 'root',
    password: 'guest-password',
    ...given,
  }
}
