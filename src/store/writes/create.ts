import type { Chance, Clock } from '../../ports/index.ts'
import { isoTime } from '../../ports/index.ts'
import type { Kind } from '../../kinds/index.ts'
import type { Batch } from '../embedded/batch.ts'
import type { Collection } from '../embedded/collection.ts'
import { textOf } from '../embedded/object-text.ts'
import { keyOf } from '../embedded/version.ts'
import { alreadyExists, invalid, StoreError } from '../errors.ts'
import type { WriteOptions } from '../store.ts'
import { type Body, metadataOf } from './body.ts'
import { checked, incoming, textField } from './incoming.ts'
import { checkNamespaceOpen, isNamespaceKind, newNamespace } from './namespaces.ts'

/** How often another name is tried when a generated one is taken. */
const mostTries = 8
const suffixLength = 5
const longestBase = 63 - suffixLength

/** Checks a draft, and returns what remains to be done when its turn comes. Throws BadRequest or Invalid. */
export function create(
  collection: Collection,
  draft: unknown,
  options: WriteOptions,
  { clock, chance }: { readonly clock: Clock; readonly chance: Chance },
): (batch: Batch) => Body {
  const kind = collection.kind!
  const given = incoming(kind, draft)
  if (textField(given, 'resourceVersion') !== undefined) {
    throw new StoreError('BadRequest', 'resourceVersion should not be set on objects to be created', {
      fix: 'remove metadata.resourceVersion, or use update',
    })
  }
  const base = textField(given, 'name') === undefined ? textField(given, 'generateName') : undefined
  const generate = () => `${base!.slice(0, longestBase)}${chance.suffix(suffixLength)}`
  const body = complete(kind, checked(kind, given, base === undefined ? undefined : generate(), options))
  const problems = kind.createProblems?.(body) ?? []
  if (problems.length > 0) throw invalid(kind, body.metadata.name, problems)

  return batch => {
    const { namespace, name: firstName } = body.metadata
    checkNamespaceOpen(batch, kind, namespace, firstName)
    let name = firstName
    for (let tries = 1; ; tries++) {
      const existing = batch.read(collection, keyOf(kind, { namespace: namespace ?? '', name }))
      if (existing === undefined) break
      if (base === undefined) throw taken(kind, name, existing.stored.object.metadata.deletionTimestamp !== undefined)
      if (tries === mostTries) throw exhausted(kind, name)
      name = generate()
    }
    const object: Body = {
      ...body,
      metadata: metadataOf(
        { ...body.metadata, name },
        {
          uid: chance.uuid(),
          ...(options.dryRun === true ? {} : { resourceVersion: String(batch.revision) }),
          ...(kind.builtIn ? {} : { generation: 1 }),
          creationTimestamp: isoTime(clock.now()),
        },
      ),
    }
    if (options.dryRun === true) textOf(object)
    else batch.put(collection, keyOf(kind, object.metadata), object)
    return object
  }
}

function complete(kind: Kind, body: Body): Body {
  return isNamespaceKind(kind) ? newNamespace(body) : body
}

function taken(kind: Kind, name: string, beingDeleted: boolean): StoreError {
  const error = alreadyExists(kind, name)
  if (!beingDeleted) return error
  return new StoreError('AlreadyExists', `object is being deleted: ${error.message}`, {
    ...error.details,
    fix: 'wait until it is gone, or use another name',
  })
}

function exhausted(kind: Kind, name: string): StoreError {
  const error = alreadyExists(kind, name)
  const message = `${error.message}, the server was not able to generate a unique name for the object`
  return new StoreError('AlreadyExists', message, {
    ...error.details,
    retryAfterSeconds: 1,
    fix: 'try again, or use a longer generateName',
  })
}
