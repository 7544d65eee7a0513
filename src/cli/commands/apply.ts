import { isDeepStrictEqual } from 'node:util'
import { isPlainObject } from '../../kinds/index.ts'
import type { Draft, Json, Resource } from '../../kinds/index.ts'
import { StoreError, undefinedIf } from '../../store/index.ts'
import type { Connection, ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import { ApplyNoteDamaged } from '../errors.ts'
import type { Io } from '../io.ts'
import type { Manifest } from '../manifests.ts'
import { readManifests } from '../manifests.ts'
import { mergeOnto } from '../merge-onto.ts'
import { nameText } from '../output/objects.ts'

/** kubectl's own, so that both can be used on one object. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'
const conflictTries = 5

interface ApplyOptions extends ConnectionOptions {
  readonly filename: readonly string[]
  readonly dryRun?: boolean
}

/** `aviary apply` */
export async function run(_args: readonly string[], options: ApplyOptions, io: Io): Promise<void> {
  const manifests = await readManifests(options.filename, io)
  const dryRun = options.dryRun === true
  await connected(options, io, async connection => {
    // Dry first, all of them: a later document that is refused must not leave the earlier ones changed.
    for (const manifest of manifests) if (!dryRun) await apply(connection, manifest, true).catch(allowMissingNamespace(manifests))
    for (const manifest of manifests) {
      const outcome = await apply(connection, manifest, dryRun)
      io.out(`${nameText(manifest.kind, manifest.name)} ${outcome}${dryRun ? ' (dry run)' : ''}\n`)
    }
  })
}

/** In the dry pass a namespace that an earlier document makes is not there yet. */
function allowMissingNamespace(manifests: readonly Manifest[]): (error: unknown) => void {
  return error => {
    const made = manifests.some(
      ({ kind, name }) => kind.name === 'Namespace' && error instanceof StoreError && error.message.includes(`"${name}"`),
    )
    if (!StoreError.is(error, 'NotFound') || !made) throw error
  }
}

type Outcome = 'created' | 'configured' | 'unchanged'

async function apply(connection: Connection, manifest: Manifest, dryRun: boolean): Promise<Outcome> {
  for (let tried = 1; ; tried++) {
    try {
      return await applyOnce(connection, manifest, dryRun)
    } catch (error) {
      // Somebody wrote in between: read again and apply to that.
      if (!StoreError.is(error, 'Conflict', 'AlreadyExists') || tried === conflictTries) throw error
    }
  }
}

async function applyOnce({ store, where }: Connection, { kind, draft, name }: Manifest, dryRun: boolean): Promise<Outcome> {
  const place = { ...where(kind), ...(draft.metadata.namespace === undefined ? {} : { namespace: draft.metadata.namespace }) }
  const said = JSON.parse(JSON.stringify({ ...draft, metadata: { ...draft.metadata, ...place } })) as Record<string, Json>
  const live = await store.get(kind, { ...place, name }).catch(undefinedIf('NotFound'))
  if (live === undefined) {
    await store.create(kind, remembering(said, said), { dryRun }).catch(namespaceIsMissing)
    return 'created'
  }
  const before = appliedBefore(live, nameText(kind, name))
  const { status: _written, ...liveFields } = live as unknown as Record<string, Json>
  const merged = remembering(mergeOnto(liveFields, before, said), said)
  if (isDeepStrictEqual(merged, remembering(liveFields, said))) return 'unchanged'
  const updated = await store.update(kind, merged, { dryRun })
  // The server has the last word: what it takes differently from how it was written, as stringData, may be what it had before.
  return isDeepStrictEqual(withoutRevision(updated), withoutRevision(live)) ? 'unchanged' : 'configured'
}

/** All that can be missing where an object is made is its namespace. */
function namespaceIsMissing(error: unknown): never {
  if (!StoreError.is(error, 'NotFound')) throw error
  const fix = 'make the namespace first, with an object of kind Namespace in the same file, or name another with -n NAMESPACE'
  throw new StoreError('NotFound', error.message, { fix, cause: error })
}

/** What the file said that was applied last; nothing if none was. */
function appliedBefore({ metadata }: Resource, object: string): Record<string, Json> {
  const { annotations, namespace } = metadata
  const damaged = (why: string, cause?: unknown) =>
    ApplyNoteDamaged({ object, note: lastApplied, why, ...(namespace === undefined ? {} : { namespace }) }, { cause })
  let said: unknown
  try {
    said = JSON.parse(annotations?.[lastApplied] ?? '{}')
  } catch (error) {
    throw damaged((error as Error).message, error)
  }
  if (!isPlainObject(said)) throw damaged('it is no object')
  return said as Record<string, Json>
}

function withoutRevision({ metadata: { resourceVersion: _, ...metadata }, ...object }: Resource): object {
  return { ...object, metadata }
}

/** The object with the text that was applied written on it, without that note itself. */
function remembering(object: Record<string, Json>, said: Record<string, Json>): Draft<Resource> {
  const metadata = object['metadata'] as Record<string, Json>
  const annotations = metadata['annotations'] as Record<string, Json> | undefined
  const note = `${JSON.stringify(withoutNote(said))}\n`
  return { ...object, metadata: { ...metadata, annotations: { ...annotations, [lastApplied]: note } } }
}

function withoutNote(said: Record<string, Json>): unknown {
  const { annotations, ...metadata } = said['metadata'] as Record<string, Json>
  const { [lastApplied]: _note, ...others } = (annotations ?? {}) as Record<string, Json>
  return { ...said, metadata: { annotations: others, ...metadata } }
}
