import { parseDuration } from '../../ports/index.ts'
import type { Kind } from '../../kinds/index.ts'
import { holdersOf } from '../../control/index.ts'
import { type Key, undefinedIf } from '../../store/index.ts'
import type { Connection, ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import { Usage, WaitedTooLong } from '../errors.ts'
import { showOthers } from '../find-object.ts'
import type { Io } from '../io.ts'
import { readManifests } from '../manifests.ts'
import { MissingObjects } from '../missing-objects.ts'
import { namedObjects, refuseNamesBeside } from '../object-names.ts'
import { nameText } from '../output/objects.ts'
import { Progress } from '../output/progress.ts'
import { until } from '../until.ts'

interface DeleteOptions extends ConnectionOptions {
  readonly filename?: readonly string[]
  readonly selector?: string
  readonly all?: boolean
  readonly ignoreNotFound?: boolean
  readonly wait: boolean
  readonly timeout: string
}

interface Target {
  readonly kind: Kind
  readonly key: Key
  /** True if it is among those that were there a moment ago: that it is gone since is what was wanted. */
  readonly isListed?: boolean
}

/** Something that is being deleted. What has its name and another uid was made after it. */
interface Held extends Target {
  readonly uid: string | undefined
}

/** `aviary delete` */
export async function run(args: readonly string[], options: DeleteOptions, io: Io): Promise<number> {
  const timeout = parseDuration(options.timeout)
  refuseMixing(args, options)
  return await connected(options, io, async connection => {
    const targets =
      options.filename === undefined ? await named(args, options, connection) : await inFiles(options.filename, io, connection)
    const missing = new MissingObjects()
    const held: Held[] = []
    for (const { kind, key, isListed = false } of targets) {
      const whenGone = isListed || options.ignoreNotFound === true ? undefinedIf('NotFound') : missing.note
      const deletion = await connection.store.delete(kind, key).catch(showOthers(kind, key)).catch(whenGone)
      if (deletion === undefined) continue
      io.out(`${nameText(kind, key.name)} ${deletion.gone ? 'deleted' : 'is being deleted'}\n`)
      if (!deletion.gone) held.push({ kind, key, uid: deletion.object.metadata.uid })
    }
    const code = missing.report(io)
    if (options.wait) await goneAll(connection, held, timeout, io)
    return code
  })
}

/** Whoever says in two ways what to remove means one of them, and nobody knows which. */
function refuseMixing(args: readonly string[], { filename, selector, all }: DeleteOptions): void {
  const chosen = [selector === undefined ? [] : '-l', all === true ? '--all' : []].flat()
  if (filename !== undefined && args.length + chosen.length > 0)
    throw Usage({ what: `-f and ${args[0] ?? chosen[0]} do not go together`, fix: 'remove what files say, or what you name' })
  if (chosen.length > 1) throw Usage({ what: '-l and --all do not go together', fix: 'leave one of them out' })
  if (filename === undefined) refuseNamesBeside(namedObjects(args), chosen[0])
}

async function named(args: readonly string[], { selector, all }: DeleteOptions, { store, where }: Connection): Promise<readonly Target[]> {
  const targets: Target[] = []
  for (const { kind, names } of namedObjects(args)) {
    if (names.length === 0 && selector === undefined && all !== true)
      throw Usage({ what: `which ${kind.plural}?`, fix: 'name them, or choose with -l LABELS, or say --all' })
    if (names.length > 0) targets.push(...names.map(name => ({ kind, key: { ...where(kind), name } })))
    else {
      const { items } = await store.list(kind, { ...where(kind), ...(selector === undefined ? {} : { labelSelector: selector }) })
      targets.push(...items.map(({ object: { metadata } }) => ({ kind, key: { ...where(kind), name: metadata.name }, isListed: true })))
    }
  }
  return targets
}

async function inFiles(files: readonly string[], io: Io, { where }: Connection): Promise<readonly Target[]> {
  const manifests = await readManifests(files, io)
  return manifests.map(({ kind, draft, name }) => {
    const { namespace } = draft.metadata
    return { kind, key: { ...where(kind), ...(namespace === undefined ? {} : { namespace }), name } }
  })
}

async function goneAll({ store }: Connection, held: readonly Held[], timeout: number, io: Io): Promise<void> {
  const progress = new Progress(io)
  for (const { kind, key, uid } of held) {
    const isGone = async () => {
      const there = await store.get(kind, key).catch(undefinedIf('NotFound'))
      if (there === undefined || there.metadata.uid !== uid) return true
      progress.show(`${nameText(kind, key.name)} is held by ${holdersOf(there).join(', ') || 'nothing'}`)
      return false
    }
    const inTime = await until(timeout, io, isGone).finally(() => progress.clear())
    if (!inTime) throw WaitedTooLong({ what: `the removal of ${nameText(kind, key.name)}`, seconds: timeout / 1000 })
    io.out(`${nameText(kind, key.name)} deleted\n`)
  }
}
