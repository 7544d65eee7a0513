import { NotThere } from '../platform/index.ts'
import { SettingNotValid } from './errors.ts'
import type { Session } from './soap/session.ts'
import { readName } from './vim/object-name.ts'
import { refOf, retrieve, retrieveOne } from './vim/property-collector.ts'
import { child } from './xml/element.ts'
import { reference, type Ref } from './xml/writer.ts'

/** What can be looked up by name, the folder of the datacenter it lives in, and what people call it. */
const kinds = {
  folder: { types: ['Folder'], below: 'vmFolder', path: 'vm', called: 'VM folder' },
  resourcePool: { types: ['ResourcePool'], below: 'hostFolder', path: 'host', called: 'resource pool' },
  datastore: { types: ['Datastore'], below: 'datastoreFolder', path: 'datastore', called: 'datastore' },
  network: { types: ['Network', 'DistributedVirtualPortgroup'], below: 'networkFolder', path: 'network', called: 'network' },
} as const

/** A kind of place. */
export type PlaceKind = keyof typeof kinds

/** A datacenter and the four folders every datacenter has. */
export interface Datacenter {
  readonly ref: Ref
  readonly name: string
  readonly folders: ReadonlyMap<string, Ref>
}

/**
 * Finds things by the names that people write into configurations, and remembers them: they seldom change. A name that leads
 * nowhere is looked up again each time, and `forget` drops what turned out to be gone. Nobody can abort a look-up: others may
 * wait for the same one, and each of its calls has a limit.
 */
export class Places {
  readonly #session: Session
  readonly #wanted: string | undefined
  #datacenter: Promise<Datacenter> | undefined
  readonly #found = new Map<string, Promise<Ref>>()

  /** `datacenter` by name or path; undefined if there is only one. */
  constructor(session: Session, datacenter: string | undefined) {
    this.#session = session
    this.#wanted = datacenter
  }

  /** The datacenter. Rejects with NotThere. */
  datacenter(): Promise<Datacenter> {
    this.#datacenter ??= this.#findDatacenter().catch((error: unknown) => {
      this.#datacenter = undefined
      throw error
    })
    return this.#datacenter
  }

  /** The place of that name or path; without one, the only one there is. Rejects with NotThere, or `SettingNotValid` if there are several. */
  find(kind: PlaceKind, name: string | undefined): Promise<Ref> {
    const key = `${kind}:${name ?? ''}`
    let found = this.#found.get(key)
    if (found === undefined) {
      found = this.#find(kind, name).catch((error: unknown) => {
        this.#found.delete(key)
        throw error
      })
      this.#found.set(key, found)
    }
    return found
  }

  /** Looks everything up again when it is next needed. */
  forget(): void {
    this.#datacenter = undefined
    this.#found.clear()
  }

  async #findDatacenter(): Promise<Datacenter> {
    const content = await this.#session.content()
    const wanted = this.#wanted
    const all = await this.#named(content.manager('rootFolder'), ['Datacenter'])
    const matching = wanted === undefined ? all : all.filter(({ name }) => name === wanted.split('/').at(-1))
    const [first, second] = matching
    const known = all.map(({ name }) => name).join(', ')
    if (first === undefined) throw NotThere({ what: 'datacenter', name: wanted ?? '' })
    if (second !== undefined && !wanted?.includes('/')) {
      throw SettingNotValid({ field: 'datacenter', rule: 'must be given, because there are several', fix: `choose one of ${known}` })
    }
    const ref = wanted?.includes('/') ? ((await this.#byPath(wanted)) ?? first.ref) : first.ref
    const paths = Object.values(kinds).map(({ below }) => below)
    const properties = await retrieveOne(this.#session, ref, paths)
    return { ref, name: first.name, folders: new Map(paths.map(path => [path, refOf(properties?.get(path))])) }
  }

  async #find(kind: PlaceKind, name: string | undefined): Promise<Ref> {
    const { types, below, path, called } = kinds[kind]
    const datacenter = await this.datacenter()
    const top = datacenter.folders.get(below) as Ref
    if (kind === 'folder' && (name === undefined || name === '' || name === '/')) return top
    if (name?.includes('/')) {
      const tries = [name, `${datacenter.name}/${path}/${name}`]
      for (const one of tries) {
        const ref = await this.#byPath(one)
        if (ref !== undefined) return ref
      }
      throw NotThere({ what: called, name })
    }
    const all = await this.#named(top, types)
    const matching = name === undefined ? all : all.filter(found => found.name === name)
    if (matching.length === 1) return matching[0]!.ref
    if (matching.length === 0) throw NotThere({ what: called, name: name ?? '' })
    // The pool that a cluster comes with holds all others: "the pool", if none is named, is that one.
    const roots = matching.filter(found => found.name === 'Resources')
    if (name === undefined && roots.length === 1) return roots[0]!.ref
    const [rule, fix] =
      name === undefined
        ? [
            `must be given, because there are several`,
            `choose one of ${(roots.length > 0 ? await this.#poolPaths(roots) : [...new Set(all.map(found => found.name))]).slice(0, 20).join(', ')}`,
          ]
        : [`"${name}" is the name of several`, `give the path below the datacenter, as vCenter shows it`]
    throw SettingNotValid({ field: kind, rule, fix })
  }

  /** The pools that clusters come with, by their paths: by name alone nobody can tell them apart. */
  async #poolPaths(roots: readonly { readonly ref: Ref; readonly name: string }[]): Promise<readonly string[]> {
    const paths: string[] = []
    for (const { ref, name } of roots) {
      const owner = (await retrieveOne(this.#session, ref, ['owner']))?.get('owner')
      const cluster = owner === undefined ? undefined : (await retrieveOne(this.#session, refOf(owner), ['name']))?.get('name')?.text
      if (cluster !== undefined) paths.push(`${readName(cluster)}/${name}`)
    }
    return paths
  }

  /** Everything of these types below a folder, with its name. */
  async #named(folder: Ref, types: readonly string[]): Promise<{ readonly ref: Ref; readonly name: string }[]> {
    const view = await containerView(this.#session, folder, types)
    try {
      const found = await retrieve(this.#session, { type: 'ManagedEntity', paths: ['name'], from: view, through: 'view' })
      return found.map(({ ref, properties }) => ({ ref, name: readName(properties.get('name')?.text ?? '') }))
    } finally {
      await this.#session.call('DestroyView', view).catch(() => {})
    }
  }

  async #byPath(path: string): Promise<Ref | undefined> {
    const content = await this.#session.content()
    const inventoryPath = path.replace(/^\/+|\/+$/g, '')
    const answer = await this.#session.call('FindByInventoryPath', content.manager('searchIndex'), { inventoryPath })
    const found = child(answer, 'returnval')
    return found === undefined ? undefined : refOf(found)
  }
}

/** A view of everything of these types below a folder. It lives as long as the session. */
export async function containerView(session: Session, container: Ref, type: readonly string[]): Promise<Ref> {
  const { manager } = await session.content()
  const args = { container: reference(container), type: [...type], recursive: true }
  return refOf(child(await session.call('CreateContainerView', manager('viewManager'), args), 'returnval'))
}
