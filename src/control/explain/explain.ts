import { parseTime } from '../../ports/index.ts'
import type { Condition, OwnerReference, Resource } from '../../kinds/index.ts'
import { conditionsOf } from '../conditions.ts'
import type { ExplainReader } from './explain-reader.ts'
import type { Explanation, ObjectName, Related, Relation, Wait } from './explanation.ts'
import { holdersOf } from './holders.ts'
import { namesInText } from './names-in-text.ts'
import { judged } from './unmet.ts'

/** How an object is explained. */
export interface ExplainOptions {
  /** Milliseconds since 1970. */
  readonly now: number
  /** How far relations are followed. Default 3. */
  readonly depth?: number
  /** How many dependents are looked into, of each object. Default 10. */
  readonly dependents?: number
}

/**
 * From an object to what it waits for, since when, until when, what happens then and what would end it sooner; and on to the
 * objects that its waits name, to its owners and its dependents. It says what conditions say: whoever waits wrote it there.
 */
export async function explain(object: Resource, reader: ExplainReader, options: ExplainOptions): Promise<Explanation> {
  const { now, depth = 3, dependents = 10 } = options
  const explanation = await new Explainer(reader, now, dependents).explain(object, depth)
  return { ...explanation, unseen: reader.unseen() }
}

class Explainer {
  readonly #reader: ExplainReader
  readonly #now: number
  readonly #mostDependents: number
  /** Objects that were explained, by uid: in a circle nobody is explained twice. */
  readonly #seen = new Set<string>()

  constructor(reader: ExplainReader, now: number, mostDependents: number) {
    this.#reader = reader
    this.#now = now
    this.#mostDependents = mostDependents
  }

  async explain(object: Resource, depth: number): Promise<Explanation> {
    this.#seen.add(identity(object))
    const own = this.#ownStory(object)
    if (depth === 0) return own
    const named = await this.#named(object, own.waits, depth)
    const owners = await this.#owners(object)
    const dependents = await this.#dependents(object, depth)
    const omitted = Math.max(0, dependents.length - this.#mostDependents)
    const shown = dependents.toSorted((a, b) => trouble(a) - trouble(b)).slice(0, this.#mostDependents)
    return { ...own, related: [...named, ...owners, ...shown], omitted }
  }

  /** What the object says about itself. */
  #ownStory(object: Resource): Explanation {
    const { creationTimestamp, deletionTimestamp, generation } = object.metadata
    const conditions = conditionsOf(object)
    const { unmet, met } = judged(object)
    const waits = unmet.map(condition => this.#waitOf(condition))
    const settled = met.map(({ type, reason, lastTransitionTime }) => ({ condition: type, reason, since: lastTransitionTime }))
    const seen = Math.max(...conditions.map(({ observedGeneration }) => observedGeneration ?? 0))
    const { phase } = (object as { readonly status?: { readonly phase?: unknown } }).status ?? {}
    return {
      object: nameOf(object),
      state: deletionTimestamp !== undefined ? 'deleting' : waits.length > 0 ? 'waiting' : conditions.length > 0 ? 'settled' : 'silent',
      ...(typeof phase === 'string' ? { phase } : {}),
      ...(creationTimestamp === undefined ? {} : { created: creationTimestamp }),
      ...(deletionTimestamp === undefined ? {} : { deletion: { since: deletionTimestamp, heldBy: holdersOf(object) } }),
      ...(generation !== undefined && seen > 0 && seen < generation ? { unseenChange: { generation, seen } } : {}),
      waits,
      settled,
      related: [],
      omitted: 0,
      unseen: [],
    }
  }

  #waitOf({ type, status, reason, message, lastTransitionTime, until, then, unblock }: Condition): Wait {
    return {
      condition: type,
      status,
      reason,
      message,
      since: lastTransitionTime,
      isOverdue: until !== undefined && parseTime(until) < this.#now,
      ...(until === undefined ? {} : { until }),
      ...(then === undefined ? {} : { then }),
      ...(unblock === undefined ? {} : { unblock }),
    }
  }

  async #named(object: Resource, waits: readonly Wait[], depth: number): Promise<readonly Related[]> {
    const text = waits.flatMap(({ message, unblock = '' }) => [message, unblock]).join('\n')
    const related: Related[] = []
    const { namespace } = object.metadata
    for (const name of namesInText(text, { namespace, scopeOf: kind => this.#reader.scopeOf(kind) })) {
      const found = await this.#reader.get(name)
      if (found === 'unseen') continue
      if (found === undefined) related.push({ relation: 'named', object: name, explanation: undefined })
      else if (!this.#seen.has(identity(found))) related.push(await this.#relate('named', found, depth - 1))
    }
    return related
  }

  /** Owners are told of, not followed: what they wait for is rarely why this one does, and their other dependents never are. */
  async #owners(object: Resource): Promise<readonly Related[]> {
    const related: Related[] = []
    for (const owner of object.metadata.ownerReferences ?? []) {
      const scope = this.#reader.scopeOf(owner)
      if (scope === undefined) continue
      const name = ownerName(owner, scope === 'Namespaced' ? object.metadata.namespace : undefined)
      const found = await this.#reader.get(name)
      if (found === 'unseen') continue
      const isOwner = found?.metadata.uid === owner.uid
      if (found === undefined || !isOwner) related.push({ relation: 'owner', object: name, explanation: undefined })
      else if (!this.#seen.has(identity(found))) related.push(await this.#relate('owner', found, 0))
    }
    return related
  }

  async #dependents(object: Resource, depth: number): Promise<readonly Related[]> {
    const found = await this.#reader.dependents(object)
    const related: Related[] = []
    for (const dependent of found.toSorted(byTrouble)) {
      if (this.#seen.has(identity(dependent))) continue
      // Only so many are looked into; of the others it is enough to know how they are.
      const isDeep = related.length < this.#mostDependents
      related.push(await this.#relate('dependent', dependent, isDeep ? depth - 1 : 0))
    }
    return related
  }

  async #relate(relation: Relation, object: Resource, depth: number): Promise<Related> {
    return { relation, object: nameOf(object), explanation: await this.explain(object, depth) }
  }
}

function identity({ metadata, kind }: Resource): string {
  return metadata.uid ?? `${kind}/${metadata.namespace ?? ''}/${metadata.name}`
}

function nameOf({ apiVersion, kind, metadata }: Resource): ObjectName {
  return { apiVersion, kind, name: metadata.name, ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }) }
}

function ownerName({ apiVersion, kind, name }: OwnerReference, namespace: string | undefined): ObjectName {
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) }
}

/** Those that wait come first, then those that go, then the others. */
function trouble({ explanation }: Related): number {
  return ['waiting', 'deleting', 'silent', 'settled'].indexOf(explanation?.state ?? 'waiting')
}

function byTrouble(a: Resource, b: Resource): number {
  return Number(judged(b).unmet.length > 0) - Number(judged(a).unmet.length > 0) || (a.metadata.name < b.metadata.name ? -1 : 1)
}
