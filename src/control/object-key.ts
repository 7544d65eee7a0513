import type { Kind, OwnerReference, Resource } from '../kinds/index.ts'
import type { Key } from '../store/index.ts'

/** An object's key as one text: `namespace/name`, or `name` for kinds without namespaces. */
export function keyOf(object: Resource): string {
  return keyText(object.metadata)
}

/** A key as one text. */
export function keyText({ namespace, name }: Key): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

/** The key behind its text. */
export function parseKey(text: string): Key {
  const slash = text.indexOf('/')
  return slash < 0 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) }
}

/** A kind's name that is unique: `ClusterClaim.hive.openshift.io`, or `Secret` in the core group. Versions do not count. */
export function kindId(kind: Kind): string {
  return kind.group === '' ? kind.name : `${kind.name}.${kind.group}`
}

/** The same for the kind that an owner reference names. */
export function referencedKindId({ apiVersion, kind }: Pick<OwnerReference, 'apiVersion' | 'kind'>): string {
  const slash = apiVersion.indexOf('/')
  return slash < 0 ? kind : `${kind}.${apiVersion.slice(0, slash)}`
}
