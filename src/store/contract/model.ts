import { Nest } from '../../kinds/index.ts'
import type { Store, WatchEvent } from '../store.ts'
import { compareRevisions } from '../revision.ts'
import { draft, refusal } from './subject.ts'

const finalizer = 'demo.aviary.dev/guard'

/** One thing that somebody does with a store. */
export type Command =
  | { readonly do: 'create'; readonly name: string; readonly eggs: number; readonly tree: string; readonly held: boolean }
  | {
      readonly do: 'update'
      readonly name: string
      readonly eggs: number
      readonly tree: string
      readonly held: boolean
      readonly stale: boolean
    }
  | { readonly do: 'report'; readonly name: string; readonly hatched: number; readonly stale: boolean }
  | { readonly do: 'delete'; readonly name: string; readonly insist: 'nothing' | 'uid' | 'revision' | 'wrong uid' | 'old revision' }
  | { readonly do: 'get'; readonly name: string }
  | { readonly do: 'list'; readonly tree: string; readonly limit: number }

/** An object as the model believes it to be, and the revisions that it had. */
interface Believed {
  readonly nest: Nest
  readonly revisions: readonly string[]
}

/** What a store ought to do, in the simplest form: a map, and the events that a watcher ought to see. */
export class Model {
  readonly #store: Store
  readonly #namespace: string
  readonly #run: string
  readonly #objects = new Map<string, Believed>()
  readonly #events: { readonly type: WatchEvent<Nest>['type']; readonly nest: Nest }[] = []
  #revision = '0'

  constructor(store: Store, namespace: string, run: string) {
    this.#store = store
    this.#namespace = namespace
    this.#run = run
  }

  /** What a watcher ought to have seen: all fields but the revision of a removal, which only the store knows. */
  get events(): readonly { readonly type: string; readonly nest: Nest }[] {
    return this.#events
  }

  /** Does it to the store and to the model, and tells what differs; undefined if nothing does. */
  async apply(command: Command): Promise<string | undefined> {
    switch (command.do) {
      case 'create':
        return this.#create(command)
      case 'update':
        return this.#update(command)
      case 'report':
        return this.#report(command)
      case 'delete':
        return this.#delete(command)
      case 'get':
        return this.#get(command.name)
      case 'list':
        return this.#list(command)
    }
  }

  async #create({ name, eggs, tree, held }: Extract<Command, { do: 'create' }>): Promise<string | undefined> {
    const wanted = draft(this.#namespace, this.#nameOf(name), { eggs }, this.#wantedMetadata(tree, held))
    if (this.#objects.has(name)) return this.#refused('AlreadyExists', this.#store.create(Nest, wanted))
    const nest = await this.#store.create(Nest, wanted)
    return (
      this.#moved(nest) ??
      differs('created', nest, { spec: { eggs, material: 'twig' }, tree, held, generation: 1 }) ??
      this.#put(name, 'ADDED', nest, [])
    )
  }

  async #update({ name, eggs, tree, held, stale }: Extract<Command, { do: 'update' }>): Promise<string | undefined> {
    const believed = this.#objects.get(name)
    const base = believed?.nest ?? this.#stranger(name)
    const resourceVersion = this.#revisionFor(believed, stale)
    const wanted = {
      ...base,
      metadata: { ...base.metadata, ...this.#wantedMetadata(tree, held), resourceVersion },
      spec: { ...base.spec, eggs },
    }
    const call = () => this.#store.update(Nest, wanted)
    if (believed === undefined) return this.#refused('NotFound', call())
    if (resourceVersion !== base.metadata.resourceVersion) return this.#refused('Conflict', call())
    const nest = await call()
    const changes = eggs !== base.spec.eggs || tree !== base.metadata.labels!['tree'] || held !== isHeld(base)
    if (!changes)
      return nest.metadata.resourceVersion === resourceVersion
        ? undefined
        : `a change of nothing made revision ${nest.metadata.resourceVersion}`
    if (base.metadata.deletionTimestamp !== undefined && !held) return this.#forget(name, base)
    const generation = base.metadata.generation! + (eggs === base.spec.eggs ? 0 : 1)
    return (
      this.#moved(nest) ??
      differs('updated', nest, { spec: { ...base.spec, eggs }, tree, held, generation, status: base.status }) ??
      this.#put(name, 'MODIFIED', nest, believed.revisions)
    )
  }

  async #report({ name, hatched, stale }: Extract<Command, { do: 'report' }>): Promise<string | undefined> {
    const believed = this.#objects.get(name)
    const base = believed?.nest ?? this.#stranger(name)
    const resourceVersion = this.#revisionFor(believed, stale)
    const wanted = { ...base, metadata: { ...base.metadata, resourceVersion }, status: { hatched } }
    const call = () => this.#store.update(Nest, wanted, { subresource: 'status' })
    if (believed === undefined) return this.#refused('NotFound', call())
    if (resourceVersion !== base.metadata.resourceVersion) return this.#refused('Conflict', call())
    const nest = await call()
    if (base.status?.hatched === hatched) {
      return nest.metadata.resourceVersion === resourceVersion ? undefined : 'a report of nothing new made a revision'
    }
    const { spec, metadata } = base
    return (
      this.#moved(nest) ??
      differs('reported', nest, { spec, tree: metadata.labels!['tree']!, held: isHeld(base), generation: metadata.generation!, hatched }) ??
      this.#put(name, 'MODIFIED', nest, believed.revisions)
    )
  }

  async #delete({ name, insist }: Extract<Command, { do: 'delete' }>): Promise<string | undefined> {
    const believed = this.#objects.get(name)
    const key = { namespace: this.#namespace, name: this.#nameOf(name) }
    if (believed === undefined) return this.#refused('NotFound', this.#store.delete(Nest, key))
    const { uid, resourceVersion, deletionTimestamp } = believed.nest.metadata
    const old = believed.revisions[0] ?? resourceVersion!
    switch (insist) {
      case 'wrong uid':
        return this.#refused('Conflict', this.#store.delete(Nest, key, { uid: '00000000-0000-4000-8000-000000000000' }))
      case 'old revision':
        if (old !== resourceVersion) return this.#refused('Conflict', this.#store.delete(Nest, key, { resourceVersion: old }))
        break
      default:
    }
    const options = insist === 'uid' ? { uid: uid! } : insist === 'revision' ? { resourceVersion: resourceVersion! } : {}
    const { object, gone } = await this.#store.delete(Nest, key, options)
    if (gone === isHeld(believed.nest))
      return `deletion says gone: ${gone} of an object that ${isHeld(believed.nest) ? 'is' : 'is not'} held`
    if (gone) return this.#forget(name, believed.nest)
    if (deletionTimestamp !== undefined)
      return object.metadata.resourceVersion === resourceVersion ? undefined : 'deleting twice made a revision'
    if (object.metadata.deletionTimestamp === undefined) return 'a held object that is deleted has no deletion time'
    return this.#moved(object) ?? this.#put(name, 'MODIFIED', object, believed.revisions)
  }

  async #get(name: string): Promise<string | undefined> {
    const believed = this.#objects.get(name)
    const call = this.#store.get(Nest, { namespace: this.#namespace, name: this.#nameOf(name) })
    if (believed === undefined) return this.#refused('NotFound', call)
    return same('got', await call, believed.nest)
  }

  async #list({ tree, limit }: Extract<Command, { do: 'list' }>): Promise<string | undefined> {
    const labelSelector = `run=${this.#run}${tree === '' ? '' : `,tree=${tree}`}`
    const listed: Nest[] = []
    let next: string | undefined
    do {
      const page = await this.#store.list(Nest, {
        namespace: this.#namespace,
        labelSelector,
        limit,
        ...(next === undefined ? {} : { continue: next }),
      })
      listed.push(...page.items.map(item => item.object))
      next = page.continue
    } while (next !== undefined)
    const expected = [...this.#objects.values()]
      .map(({ nest }) => nest)
      .filter(nest => tree === '' || nest.metadata.labels!['tree'] === tree)
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    return same('listed', listed, expected)
  }

  async #refused(reason: string, call: Promise<unknown>): Promise<string | undefined> {
    const error = await refusal(call)
    return error.reason === reason ? undefined : `refused with ${error.reason} instead of ${reason}: ${error.message}`
  }

  /** Every change has a revision larger than all before. */
  #moved({ metadata }: Nest): string | undefined {
    const before = this.#revision
    this.#revision = metadata.resourceVersion!
    return compareRevisions(before, this.#revision) < 0 ? undefined : `revision ${this.#revision} follows ${before}`
  }

  #put(name: string, type: 'ADDED' | 'MODIFIED', nest: Nest, revisions: readonly string[]): undefined {
    this.#objects.set(name, { nest, revisions: [...revisions, nest.metadata.resourceVersion!] })
    this.#events.push({ type, nest })
  }

  #forget(name: string, nest: Nest): undefined {
    this.#objects.delete(name)
    this.#events.push({ type: 'DELETED', nest })
  }

  #nameOf(name: string): string {
    return `${this.#run}-${name}`
  }

  #wantedMetadata(tree: string, held: boolean) {
    return { labels: { run: this.#run, tree }, finalizers: held ? [finalizer] : [] }
  }

  /** Something to send for an object that does not exist. */
  #stranger(name: string): Nest {
    const { namespace } = { namespace: this.#namespace }
    return {
      apiVersion: Nest.apiVersion,
      kind: Nest.name,
      metadata: { name: this.#nameOf(name), namespace },
      spec: { eggs: 1, material: 'twig' },
    }
  }

  #revisionFor(believed: Believed | undefined, stale: boolean): string {
    if (believed === undefined) return '1'
    return (stale ? believed.revisions[0] : believed.nest.metadata.resourceVersion)!
  }
}

function isHeld({ metadata }: Nest): boolean {
  return metadata.finalizers?.includes(finalizer) === true
}

function differs(
  what: string,
  { metadata, spec, status }: Nest,
  expected: { spec: Nest['spec']; tree: string; held: boolean; generation: number; status?: Nest['status']; hatched?: number },
): string | undefined {
  const seen = {
    spec,
    tree: metadata.labels?.['tree'],
    held: metadata.finalizers?.includes(finalizer) === true,
    generation: metadata.generation,
  }
  const hatched = expected.hatched ?? expected.status?.hatched
  return same(what, { ...seen, hatched: status?.hatched ?? null }, { ...seen, ...pick(expected), hatched: hatched ?? null })
}

function pick({ spec, tree, held, generation }: { spec: Nest['spec']; tree: string; held: boolean; generation: number }) {
  return { spec, tree, held, generation }
}

function same(what: string, actual: unknown, expected: unknown): string | undefined {
  const [left, right] = [canonical(actual), canonical(expected)]
  return left === right ? undefined : `${what} ${left}\nexpected ${right}`
}

/** JSON with sorted fields. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
