import { namespaceProblem } from '../../kinds/index.ts'
import type { Draft, Kind, Resource } from '../../kinds/index.ts'
import type { Chance } from '../../ports/index.ts'
import { conflict, invalid, StoreError } from '../errors.ts'
import type { UpdateOptions } from '../store.ts'

/** What etcd takes at most. Said here, because the API server reports it as an internal error, and only after the whole upload. */
const maxObjectBytes = 1_572_864
const maxGeneratedNameLength = 63
const generatedSuffixLength = 5

/** The text to send for an object, with what the server alone decides left out. */
export function outgoing<R extends Resource>(kind: Kind<R>, draft: Draft<R>, name: string): string {
  const {
    creationTimestamp: _created,
    deletionTimestamp: _deleted,
    deletionGracePeriodSeconds: _grace,
    generation: _generation,
    managedFields: _managed,
    ...metadata
  } = draft.metadata
  const text = JSON.stringify({ apiVersion: kind.apiVersion, kind: kind.name, ...draft, metadata: { ...metadata, name } })
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxObjectBytes) return text
  throw new StoreError('RequestEntityTooLarge', `${kind.name} "${name}" has ${bytes} bytes, the limit is ${maxObjectBytes}`, {
    group: kind.group,
    kind: kind.plural,
    name,
    fix: 'keep large content elsewhere and refer to it',
  })
}

/**
 * A name for an object that asks for one by `generateName`. It is chosen here and not by the server, so that after a lost reply
 * it is known under which name to look.
 */
export function generatedName(prefix: string, chance: Chance): string {
  return prefix.slice(0, maxGeneratedNameLength - generatedSuffixLength) + chance.suffix(generatedSuffixLength)
}

/** What a new object must not or must say, before anything is sent. Throws BadRequest or Invalid. */
export function checkCreate<R extends Resource>(kind: Kind<R>, { metadata }: Draft<R>): void {
  checkNamespace(kind, metadata)
  if (!metadata.resourceVersion) return
  throw new StoreError('BadRequest', 'resourceVersion should not be set on objects to be created', {
    group: kind.group,
    kind: kind.plural,
    fix: 'remove metadata.resourceVersion, or use update',
  })
}

/** What an update must say, before anything is sent. Throws NotFound, Invalid or Conflict. Returns the name. */
export function checkUpdate<R extends Resource>(kind: Kind<R>, { metadata }: Draft<R>, subresource: UpdateOptions['subresource']): string {
  const { name = '', resourceVersion } = metadata
  const isNamespace = kind.group === '' && kind.name === 'Namespace'
  if (subresource !== undefined && !(subresource === 'status' ? kind.hasStatus : isNamespace)) throw noSubresource(kind, subresource)
  checkNamespace(kind, metadata)
  // Without a revision some kinds would be overwritten whatever they have become.
  if (!resourceVersion) {
    throw invalid(kind, name, [
      {
        path: 'metadata.resourceVersion',
        reason: 'FieldValueInvalid',
        message: 'Invalid value: 0: must be specified for an update',
        fix: 'read the object, change what you read, and write that',
      },
    ])
  }
  // Nor is 0 one, which to Kubernetes means any. What is no revision cannot be the current one.
  if (!/^[1-9]\d*$/.test(resourceVersion)) throw conflict(kind, name)
  return name
}

function checkNamespace(kind: Kind, { name, generateName, namespace }: Draft<Resource>['metadata']): void {
  const problem = namespaceProblem(kind, namespace)
  if (problem !== undefined) throw invalid(kind, name ?? generateName ?? '', [problem])
}

function noSubresource(kind: Kind, subresource: string): StoreError {
  return new StoreError('NotFound', 'the server could not find the requested resource', {
    group: kind.group,
    kind: kind.plural,
    fix: `${kind.name} has no subresource ${subresource}; update the object itself`,
  })
}
