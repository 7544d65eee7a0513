import { NotThere } from '../platform/index.ts'
import { SettingNotValid } from './errors.ts'
import { isFault, type Session } from './soap/session.ts'
import { readName, writtenName } from './vim/object-name.ts'
import { refOf, retrieve, retrieveOne, type Found } from './vim/property-collector.ts'
import { child } from './xml/element.ts'
import { reference, type Ref } from './xml/writer.ts'

/** A kind of place. */
export type PlaceKind = 'folder' | 'resourcePool' | 'datastore' | 'network'

interface Kind {
  readonly types: readonly string[]
  /** The folder of the datacenter in which they live: the property that leads to it, and its name in paths. */
  readonly below: string
  readonly path: string
  /** What people call it. */
  readonly called: string
  /** What else people may take for one, and what they are told then. */
  readonly mistakes: Readonly<Record<string, (name: string) => readonly [is: string, fix: string]>>
}

const aCluster = (name: string) =>
  ['a cluster or host', `write "${name}/Resources" to use all of it, or name a resource pool in it`] as const

const kinds: Readonly<Record<PlaceKind, Kind>> = {
  folder: { types: ['Folder'], below: 'vmFolder', path: 'vm', called: 'VM folder', mistakes: {} },
  resourcePool: {
    types: ['ResourcePool', 'VirtualApp'],
    below: 'hostFolder',
    path: 'host',
    called: 'resource pool',
    mistakes: { ClusterComputeResource: aCluster, ComputeResource: aCluster },
  },
  datastore: {
    types: ['Datastore'],
    below: 'datastoreFolder',
    path: 'datastore',
    called: 'datastore',
    mistakes: { StoragePod: () => ['a datastore cluster', 'name one of the datastores in it'] },
  },
  network: {
    types: ['Network', 'DistributedVirtualPortgroup', 'OpaqueNetwork'],
    below: 'networkFolder',
    path: 'network',
    called: 'network',
    mistakes: {
      DistributedVirtualSwitch: () => ['a distributed switch', 'name one of its port groups'],
      VmwareDistributedVirtualSwitch: () => ['a distributed switch', 'name one of its port groups'],
    },
  },
}

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
    const ref = (wanted?.includes('/') ? await this.#byPath(wanted) : undefined) ?? (second === undefined ? first.ref : undefined)
    if (ref === undefined) throw NotThere({ what: 'datacenter', name: wanted ?? '' })
    const paths = Object.values(kinds).map(({ below }) => below)
    const properties = await retrieveOne(this.#session, ref, paths)
    return { ref, name: first.name, folders: new Map(paths.map(path => [path, refOf(properties?.get(path))])) }
  }

  async #find(kind: PlaceKind, name: string | undefined): Promise<Ref> {
    const { types, below, path, called, mistakes } = kinds[kind]
    const datacenter = await this.datacenter()
    const top = datacenter.folders.get(below) as Ref
    if (kind === 'folder' && (name === undefined || name === '' || name === '/')) return top
    const atPath = name?.includes('/')
      ? ((await this.#byPath(name)) ?? (await this.#byPath(`${await this.#pathOf(datacenter)}/${path}/${name}`)))
      : undefined
    if (atPath !== undefined && types.includes(atPath.type)) return atPath
    const alike = name === undefined ? [] : Object.keys(mistakes)
    const found = await this.#named(top, [...types, ...alike])
    const all = found.filter(({ ref }) => types.includes(ref.type))
    const matching = name === undefined ? all : all.filter(each => each.name === name)
    if (matching.length === 1) return matching[0]!.ref
    if (matching.length === 0) {
      const mistaken = atPath ?? found.find(each => each.name === name)?.ref
      const [is, fix] = mistakes[mistaken?.type ?? '']?.(name ?? '') ?? []
      if (is === undefined || fix === undefined) throw NotThere({ what: called, name: name ?? '' })
      throw SettingNotValid({ field: kind, rule: `"${name}" is ${is}, not a ${called}`, fix })
    }
    // The pool that a cluster comes with holds all others: "the pool", if none is named, is that one.
    const roots = matching.filter(each => each.name === 'Resources')
    if (name === undefined && roots.length === 1) return roots[0]!.ref
    const [rule, fix] =
      name === undefined
        ? [
            `must be given, because there are several`,
            `choose one of ${(roots.length > 0 ? await this.#poolPaths(roots) : [...new Set(all.map(each => each.name))]).slice(0, 20).join(', ')}`,
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
    const found = await readBelow(this.#session, folder, types, ['name'])
    return found.map(({ ref, properties }) => ({ ref, name: readName(properties.get('name')?.text ?? '') }))
  }

  /** Where a datacenter is, for paths: it may lie in folders. Those that the account may not see count as none. */
  async #pathOf({ ref, name }: Datacenter): Promise<string> {
    const root = (await this.#session.content()).manager('rootFolder').id
    const names = [writtenName(name)]
    for (let at = await this.#parentOf(ref); at !== undefined && at.id !== root; at = await this.#parentOf(at)) {
      names.unshift((await retrieveOne(this.#session, at, ['name']))?.get('name')?.text ?? '')
    }
    return names.join('/')
  }

  async #parentOf(ref: Ref): Promise<Ref | undefined> {
    try {
      const parent = (await retrieveOne(this.#session, ref, ['parent']))?.get('parent')
      return parent === undefined ? undefined : refOf(parent)
    } catch (error) {
      if (isFault(error, 'NoPermission')) return undefined
      throw error
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

/** How often a listing begins again because the session ended in the middle of it. */
const mostListings = 5

/**
 * Properties of everything of these types below a folder; of several types only such as everything has. They are read by a view, which
 * ends with the session: what came after a new sign-in is not believed but read again, because vCenter shows nothing at all through a
 * view that is gone.
 */
export async function readBelow(
  session: Session,
  folder: Ref,
  types: readonly string[],
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<readonly Found[]> {
  for (let attempt = 1; ; attempt++) {
    await session.content(signal)
    const { generation } = session
    const isStale = () => session.generation !== generation && attempt < mostListings
    const view = await containerView(session, folder, types)
    const type = types.length === 1 ? types[0]! : 'ManagedEntity'
    try {
      const found = await retrieve(session, { type, paths, from: view, through: 'view' }, signal)
      if (!isStale()) return found
    } catch (error) {
      if (!isStale()) throw error
    } finally {
      await session.call('DestroyView', view).catch(() => {})
    }
  }
}

/** A view of everything of these types below a folder. It lives as long as the session. */
export async function containerView(session: Session, container: Ref, type: readonly string[]): Promise<Ref> {
  const { manager } = await session.content()
  const args = { container: reference(container), type: [...type], recursive: true }
  return refOf(child(await session.call('CreateContainerView', manager('viewManager'), args), 'returnval'))
}
