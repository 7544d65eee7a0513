import { Secret as Hidden } from '../ports/index.ts'
import { ConfigMap, isRowFor, referenceFields, Secret } from '../kinds/index.ts'
import type { ClusterDeployment, ClusterPool, Draft, ReferenceField } from '../kinds/index.ts'
import type { Store } from '../store/index.ts'
import { find } from './find.ts'
import { put } from './put.ts'

/*
 * The only place in which controllers read and write Secrets and ConfigMaps. What may be read by way of which field says the table of
 * references (kinds/references.ts). A pool reads from its own namespace. For the cluster of a pool, references in its spec are not
 * believed: the subjects of its claim can write them and must not choose what the controller reads. The names of the copies that the
 * pool made follow from the namespace.
 */

/** The object whose reference is followed. `isPoolMember` says that the namespace was made by a pool for exactly this cluster. */
export type Referrer =
  | { readonly object: ClusterPool; readonly isPoolMember?: undefined }
  | { readonly object: ClusterDeployment; readonly isPoolMember: boolean }

/** An environment variable as it is asked for. */
export type Variable = NonNullable<ClusterPool['spec']['installerEnv']>[number]

/** Environment variables with their values, and what of them is not there, as sentences. */
export interface Variables {
  readonly values: Readonly<Record<string, Hidden>>
  readonly missing: readonly string[]
}

/** The values of a Secret, by key. */
export type SecretValues = Readonly<Record<string, Hidden>>

/** The name of the copy of a pool's Secret beside a cluster: `dev-x7k2p-pull-secret`. */
export function copyName(namespace: string, path: string, platform: string): string {
  const { copy } = rowFor('ClusterDeployment', path)
  if (copy === undefined) throw new TypeError(`a ClusterDeployment has no copy of what ${path} refers to`)
  return `${namespace}-${copy.replace('PLATFORM', platform)}`
}

/** The Secret that a field refers to; undefined if the field is not set, or there is no such Secret. */
export async function referredSecret(
  { object, isPoolMember }: Referrer,
  path: string,
  name: string | undefined,
  store: Store,
): Promise<Secret | undefined> {
  const { use } = rowFor(object.kind, path)
  if (use !== 'read' && use !== 'copied') throw new TypeError(`no controller reads what ${path} of a ${object.kind} refers to`)
  const { namespace = '' } = object.metadata
  const believed = isPoolMember === true ? copyName(namespace, path, platformName(object)) : name
  return believed === undefined ? undefined : find(store, Secret, namespace, believed)
}

/** What a Secret holds, by key; nothing if there is none. */
export function valuesOf(secret: Secret | undefined): SecretValues {
  return Object.fromEntries(
    Object.entries(secret?.data ?? {}).map(([key, value]) => [key, new Hidden(Buffer.from(value, 'base64').toString('utf8'))]),
  )
}

/** The variables of a pool, or of a cluster that belongs to no pool, with values from Secrets and ConfigMaps beside it. */
export async function variablesOf(object: ClusterPool | ClusterDeployment, wanted: readonly Variable[], store: Store): Promise<Variables> {
  const { namespace } = object.metadata
  const found = await Promise.all(wanted.map(async variable => [variable, await valueOf(variable, namespace, store)] as const))
  return {
    values: Object.fromEntries(found.flatMap(([{ name }, { value }]) => (value === undefined ? [] : [[name, new Hidden(value)]]))),
    missing: found.flatMap(([{ name }, { lack }]) => (lack === undefined ? [] : [`installer variable ${name}: ${lack}`])),
  }
}

/**
 * The variables of a pool's cluster: those that the pool kept in a Secret beside it. Clusters of earlier versions have only part of them
 * there; the rest is what the pool says. The spec of the cluster counts for nothing but the names of what is missing.
 */
export async function memberVariables(cluster: ClusterDeployment, pool: ClusterPool | undefined, store: Store): Promise<Variables> {
  const { namespace = '' } = cluster.metadata
  const wanted = cluster.spec.provisioning?.installerEnv ?? []
  if (wanted.length === 0 && pool?.spec.installerEnv === undefined) return { values: {}, missing: [] }
  const name = copyName(namespace, 'spec.provisioning.installerEnv[].valueFrom.secretKeyRef', '')
  const kept = await find(store, Secret, namespace, name)
  const said = (pool?.spec.installerEnv ?? []).flatMap(({ name: variable, value }) =>
    value === undefined ? [] : [[variable, new Hidden(value)] as const],
  )
  const values = { ...Object.fromEntries(said), ...valuesOf(kept) }
  const missing = wanted.filter(({ name: variable, valueFrom }) => valueFrom !== undefined && values[variable] === undefined)
  const lack = (variable: string) => (kept === undefined ? `Secret "${name}" not found` : `Secret "${name}" has no key ${variable}`)
  return { values, missing: missing.map(({ name: variable }) => `installer variable ${variable}: ${lack(variable)}`) }
}

/** Writes a Secret, or replaces what an earlier attempt left in its place. */
export function putSecret(store: Store, draft: Draft<Secret>): Promise<void> {
  return put(store, Secret, draft)
}

/** The name of the platform that a cluster is made on. */
export function platformName({ spec: { platform } }: ClusterPool | ClusterDeployment): string {
  return Object.keys(platform)[0] ?? 'none'
}

async function valueOf(
  { value = '', valueFrom }: Variable,
  namespace: string | undefined,
  store: Store,
): Promise<{ readonly value?: string | undefined; readonly lack?: string }> {
  if (valueFrom === undefined) return { value }
  const { secretKeyRef, configMapKeyRef } = valueFrom
  const ref = secretKeyRef ?? configMapKeyRef
  if (ref === undefined) return {}
  const kind = secretKeyRef === undefined ? ConfigMap : Secret
  const object = await find<ConfigMap | Secret>(store, kind, namespace, ref.name)
  const kept = object?.data?.[ref.key]
  if (kept !== undefined) return { value: kind === Secret ? Buffer.from(kept, 'base64').toString('utf8') : kept }
  if (ref.optional === true) return {}
  return { lack: `${kind.name} "${ref.name}" ${object === undefined ? 'not found' : `has no key ${ref.key}`}` }
}

function rowFor(kind: string, path: string): ReferenceField {
  const row = referenceFields.find(each => each.kind === kind && isRowFor(each, path))
  if (row === undefined) throw new TypeError(`the table of references has no row for ${path} of a ${kind}`)
  return row
}
