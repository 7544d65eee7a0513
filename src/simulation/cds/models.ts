import { type Basics, sharedInfra } from './basics.ts'
import { CdsRefusal } from './cds-refusal.ts'
import type { Group, ModelV1, ModelV2, RequirementRecord, Service } from './records.ts'

/** A V1 model that somebody adds. */
export interface ModelV1Request {
  readonly name: string
  readonly group?: string
  readonly type?: string
  readonly restricted?: boolean
  readonly isDeprecated?: boolean
  /** Whether it must be registered before it can be used, as every new one must. Default true. */
  readonly needRegistration?: boolean
  readonly machine: ModelV1['machine']
  readonly secrets?: ReadonlyMap<string, string>
}

/** Milliseconds for which a hatchery may keep a model to itself while it registers it. */
const bookingLimit = 360_000

/** Worker models: V1 in the API itself, V2 in repositories. */
export class Models {
  readonly #basics: Basics
  readonly #v1 = new Map<string, ModelV1>()
  readonly #v2 = new Map<string, ModelV2>()

  constructor(basics: Basics) {
    this.#basics = basics
  }

  addV1(request: ModelV1Request): ModelV1 {
    const { name, group = sharedInfra, type = 'vsphere', restricted = false, isDeprecated = false, needRegistration = true } = request
    const model: ModelV1 = {
      id: this.#v1.size + 1,
      name,
      group: this.#basics.groups.named(group),
      type,
      disabled: false,
      restricted,
      registeredOs: undefined,
      registeredArch: undefined,
      needRegistration,
      checkRegistration: false,
      lastRegistration: undefined,
      userLastModified: this.#basics.clock.now(),
      spawnErrors: 0,
      lastSpawnError: undefined,
      isDeprecated,
      capabilities: [],
      machine: request.machine,
      secrets: request.secrets ?? new Map(),
      booking: undefined,
    }
    this.#v1.set(`${group}/${name}`, model)
    return model
  }

  /** Somebody changes a model: it must be registered again. */
  touchV1(model: ModelV1): void {
    model.userLastModified = this.#basics.clock.now()
    model.needRegistration = true
  }

  /** By `PROJ/VCS/REPO/MODEL` and branch. */
  addV2(reference: string, model: ModelV2, branch = 'master'): ModelV2 {
    this.#v2.set(`${reference}@${branch}`, model)
    return model
  }

  v2(reference: string, branch: string): ModelV2 {
    const model = this.#v2.get(`${reference}@${branch}`)
    if (model === undefined) throw new CdsRefusal('notFound')
    return model
  }

  /** Models that these groups may use, by name: their own, and what is everybody's unless it is restricted. */
  usable(groups: readonly Group[]): ModelV1[] {
    const shared = groups.some(group => group.name === sharedInfra)
    return Array.from(this.#v1.values())
      .filter(model => !model.disabled && (groups.includes(model.group) || (shared && !model.restricted)))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  byId(id: number): ModelV1 | undefined {
    return Array.from(this.#v1.values()).find(model => model.id === id)
  }

  v1(group: string, name: string): ModelV1 {
    const model = this.#v1.get(`${group}/${name}`)
    if (model === undefined) throw new CdsRefusal('notFound')
    return model
  }

  book(model: ModelV1, service: Service): void {
    const now = this.#basics.clock.now()
    if (model.booking !== undefined && model.booking.until > now) throw new CdsRefusal('modelAlreadyBooked')
    model.booking = { service, until: now + bookingLimit }
    this.#basics.witness.tell('model booked', { by: service.name, detail: path(model) })
  }

  failed(model: ModelV1, error: string): void {
    model.spawnErrors++
    model.lastSpawnError = error
    model.booking = undefined
    this.#basics.witness.tell('model failed', { detail: `${path(model)}: ${error}` })
  }

  /** A worker that came only to be looked at has signed in. */
  registered(model: ModelV1, capabilities: readonly string[], program: { readonly os: string; readonly arch: string }): void {
    const now = this.#basics.clock.now()
    if (capabilities.length > 0) {
      model.capabilities = capabilities.map((name): RequirementRecord => ({ name, type: 'binary', value: name }))
      model.registeredOs = program.os
      model.registeredArch = program.arch
    }
    model.needRegistration = false
    model.checkRegistration = false
    model.lastRegistration = now
    model.spawnErrors = 0
    model.lastSpawnError = undefined
    model.booking = undefined
    this.#basics.witness.tell('model registered', { detail: path(model) })
  }
}

function path(model: ModelV1): string {
  return `${model.group.name}/${model.name}`
}
