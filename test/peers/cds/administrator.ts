import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { callApi, mustCall } from './call-api.ts'
import type { RealCds } from './start.ts'

const run = promisify(execFile)

/** A V1 job to start. */
export interface V1JobRequest {
  readonly project: string
  /** Lines of YAML, like `model: shared.infra/deb`. */
  readonly requirements?: readonly string[]
}

/** A V2 job to put into the queue. */
export interface V2JobRequest {
  readonly project: string
  readonly region: string
  readonly image: string
  readonly flavor?: string
  /** Whether web sockets bring the news. Default true. */
  readonly announced?: boolean
}

/** A V2 job as people see it. */
export interface SeenJobV2 {
  readonly status: string
  /** Empty until a worker has begun it. */
  readonly worker_name?: string
  readonly hatchery_name?: string
}

/** What people who watch a V2 job were told. */
export interface SeenInfo {
  readonly level: string
  readonly message: string
  readonly issued_at: string
}

/** Does at the real API what people do there: hatcheries, models, jobs. */
export class Administrator {
  readonly #cds: RealCds
  /** The run of each V2 job and the workflow of each V1 job. */
  readonly #runs = new Map<string | number, string>()
  #count = 0

  constructor(cds: RealCds) {
    this.#cds = cds
  }

  /** The two tokens of a new hatchery. */
  async addHatchery(name: string, options: { readonly region: string; readonly bound?: boolean }): Promise<{ v1: string; v2: string }> {
    return {
      v1: await this.addHatcheryV1(name, options.bound ? options.region : undefined),
      v2: await this.addHatcheryV2(name, options.region),
    }
  }

  /** A V1 consumer that is bound to this service name, and to the region if one is given. */
  async addHatcheryV1(name: string, region?: string): Promise<string> {
    const infra = await this.#group('shared.infra')
    const scopes = ['Hatchery', 'Service', 'RunExecution', 'WorkerModel'].map(scope => ({ scope, endpoints: [] }))
    const body = {
      name: `${name}-v1`,
      description: 'for tests',
      type: 'builtin',
      auth_consumer_user: {
        group_ids: [infra],
        scope_details: scopes,
        service_name: name,
        service_type: 'hatchery',
        ...(region !== undefined && { service_region: region, service_ignore_job_with_no_region: true }),
      },
      validity_periods: [{ issued_at: new Date().toISOString(), duration: 365 * 24 * 3600 * 1e9 }],
    }
    return ((await this.#must('POST', '/user/me/auth/consumer', body)) as { token: string }).token
  }

  /** A V2 hatchery, granted a region unless that is undefined. */
  async addHatcheryV2(name: string, region: string | undefined): Promise<string> {
    const made = (await this.#must('POST', '/v2/hatchery', { name })) as { token: string }
    if (region !== undefined) {
      await this.addRegion(region)
      const rule = `name: perm-${name}\nhatcheries:\n- hatchery: ${name}\n  region: ${region}\n  role: start-worker\n`
      await this.#must('POST', '/v2/rbac/import', rule)
    }
    return made.token
  }

  async addRegion(name: string): Promise<void> {
    const { status, text } = await this.#call('POST', '/v2/region', { name })
    if (status >= 300 && !/already|exist|duplicate/i.test(text) && status !== 409) throw new Error(`region ${name}: ${status} ${text}`)
  }

  /** A V1 model for vSphere in shared.infra. YAML cannot carry the login of a machine, JSON can. */
  async addModelV1(name: string, machine: object): Promise<{ readonly id: number }> {
    const body = { name, type: 'vsphere', group_id: await this.#group('shared.infra'), model_virtual_machine: machine }
    return (await this.#must('POST', '/worker/model', body)) as { id: number }
  }

  /** Starts a V1 job and waits until it is queued. Gives its number. */
  async startJobV1({ project, requirements = [] }: V1JobRequest): Promise<number> {
    await this.addProject(project)
    const name = `job${++this.#count}`
    const needs = requirements.length === 0 ? '' : `  requirements:\n${requirements.map(each => `  - ${each}\n`).join('')}`
    const pipeline = `version: v1.0\nname: ${name}\nstages:\n- s\njobs:\n- job: j1\n  stage: s\n${needs}  steps:\n  - script:\n    - echo hello\n`
    await this.#must('POST', `/project/${project}/import/pipeline?force=true`, pipeline)
    await this.#must('POST', `/project/${project}/import/workflows?force=true`, `name: w${name}\nversion: v1.0\npipeline: ${name}\n`)
    await this.#must('POST', `/project/${project}/workflows/w${name}/runs`, {})
    for (const patience = Date.now() + 30_000; Date.now() < patience; await sleep(250)) {
      const queue = (await this.#must('GET', '/queue/workflows')) as { id: number; header: Record<string, string> }[]
      const found = queue.find(job => job.header['X-Workflow'] === `w${name}`)
      if (found === undefined) continue
      this.#runs.set(found.id, `/project/${project}/workflows/w${name}/runs/1`)
      return found.id
    }
    throw new Error(`the V1 job of ${project} is not in the queue after 30 s`)
  }

  /** Puts a V2 job into the queue, as the API itself does after a push. Gives its id. */
  async startJobV2({ project, region, image, flavor = '-', announced = true }: V2JobRequest): Promise<string> {
    await this.addProject(project)
    const args = [this.#cds.configuration, project, 'root1', region, image, flavor, ...(announced ? [] : ['silent'])]
    const { stdout } = await run(join(this.#cds.programs, 'v2enqueue'), args)
    const { run: of, job } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { run: string; job: string }
    this.#runs.set(job, `/v2/project/${project}/run/${of}/job/${job}`)
    return job
  }

  /** How a V1 job that was started here goes: the status of its run, which has no other job. */
  async statusOfV1(job: number): Promise<string> {
    return ((await this.#must('GET', this.#runs.get(job) ?? '')) as { status: string }).status
  }

  /** How a V2 job that was started here goes. */
  async jobV2(job: string): Promise<SeenJobV2> {
    return (await this.#must('GET', this.#runs.get(job) ?? '')) as SeenJobV2
  }

  /** What people who watch a V2 job have been told, the oldest first. */
  async infosV2(job: string): Promise<readonly SeenInfo[]> {
    return (await this.#must('GET', `${this.#runs.get(job)}/infos`)) as SeenInfo[]
  }

  async addProject(key: string): Promise<void> {
    if ((await this.#call('GET', `/project/${key}`)).status === 200) return
    const group = `grp-${key.toLowerCase()}`
    await this.#call('POST', '/group', { name: group })
    const groups = [{ group: { id: await this.#group(group), name: group }, permission: 7 }]
    await this.#must('POST', '/project', { key, name: key, groups })
  }

  /** Anything else that an administrator may ask. */
  async ask(method: string, path: string, body?: unknown): Promise<unknown> {
    return await this.#must(method, path, body)
  }

  async #group(name: string): Promise<number> {
    return ((await this.#must('GET', `/group/${name}`)) as { id: number }).id
  }

  async #must(method: string, path: string, body?: unknown): Promise<unknown> {
    return (await mustCall(this.#cds.url, { method, path, body, token: this.#cds.admin })).body
  }

  #call(method: string, path: string, body?: unknown) {
    return callApi(this.#cds.url, { method, path, body, token: this.#cds.admin })
  }
}
