import { parseDuration } from '../../ports/index.ts'
import type { Kind } from '../../kinds/index.ts'
import { StoreError } from '../../store/index.ts'
import type { Key } from '../../store/index.ts'
import type { Connection, ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import { Usage, WaitedTooLong } from '../errors.ts'
import type { Io } from '../io.ts'
import { readManifests } from '../manifests.ts'
import { namedObjects } from '../object-names.ts'
import { nameText } from '../output/objects.ts'
import { Progress } from '../output/progress.ts'
import { until } from '../until.ts'

interface DeleteOptions extends ConnectionOptions {
  readonly filename?: readonly string[]
  readonly selector?: string
  readonly all?: boolean
  readonly wait: boolean
  readonly timeout: string
}

interface Target {
  readonly kind: Kind
  readonly key: Key
}

/** `aviary delete` */
export async function run(args: readonly string[], options: DeleteOptions, io: Io): Promise<void> {
  const timeout = parseDuration(options.timeout)
  await connected(options, io, async connection => {
    const targets =
      options.filename === undefined ? await named(args, options, connection) : await inFiles(options.filename, io, connection)
    const held: Target[] = []
    for (const { kind, key } of targets) {
      const { gone } = await connection.store.delete(kind, key)
      io.out(`${nameText(kind, key.name)} ${gone ? 'deleted' : 'is being deleted'}\n`)
      if (!gone) held.push({ kind, key })
    }
    if (options.wait) await goneAll(connection, held, timeout, io)
  })
}

async function named(args: readonly string[], { selector, all }: DeleteOptions, { store, where }: Connection): Promise<readonly Target[]> {
  const targets: Target[] = []
  for (const { kind, names } of namedObjects(args)) {
    if (names.length === 0 && selector === undefined && all !== true)
      throw Usage({ what: `which ${kind.plural}?`, fix: 'name them, or choose with -l LABELS, or say --all' })
    if (names.length > 0) targets.push(...names.map(name => ({ kind, key: { ...where(kind), name } })))
    else {
      const { items } = await store.list(kind, { ...where(kind), ...(selector === undefined ? {} : { labelSelector: selector }) })
      targets.push(...items.map(({ object: { metadata } }) => ({ kind, key: { ...where(kind), name: metadata.name } })))
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

async function goneAll({ store }: Connection, held: readonly Target[], timeout: number, io: Io): Promise<void> {
  const progress = new Progress(io)
  for (const { kind, key } of held) {
    const inTime = await until(timeout, io, async () => {
      try {
        const { metadata } = await store.get(kind, key)
        progress.show(`${nameText(kind, key.name)} is held by ${metadata.finalizers?.join(', ') ?? 'nothing'}`)
        return false
      } catch (error) {
        if (StoreError.is(error, 'NotFound')) return true
        throw error
      }
    })
    progress.clear()
    if (!inTime) throw WaitedTooLong({ what: `the removal of ${nameText(kind, key.name)}`, seconds: timeout / 1000 })
    io.out(`${nameText(kind, key.name)} deleted\n`)
  }
}
