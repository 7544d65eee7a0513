import { parseDuration, parseTime } from '../../ports/index.ts'
import type { ClusterDeployment, ClusterDeploymentCustomization, ClusterPool } from '../../kinds/index.ts'
import { findCondition } from '../../control/index.ts'

/** One entry of a pool's inventory. */
export type Entry = NonNullable<NonNullable<ClusterPool['spec']['inventory']>['clusterDeployments']>[number]

/** The customizations that a pool's entries name, by name; one that does not exist is not in it. */
export type Customizations = ReadonlyMap<string, ClusterDeploymentCustomization>

/** How the last use of an entry ended. */
export type LastUse = NonNullable<NonNullable<ClusterPool['status']>['nameResults']>[string]

/** The entries of a pool's inventory; undefined if it has none. An inventory without a list has no entries. */
export function entriesOf({ spec: { inventory } }: ClusterPool): readonly Entry[] | undefined {
  return inventory === undefined ? undefined : (inventory.clusterDeployments ?? [])
}

/** The names of a pool's entries; undefined if it has no inventory. */
export function inventoryNames(pool: ClusterPool): readonly string[] | undefined {
  return entriesOf(pool)?.map(({ name }) => name)
}

/**
 * What the cluster of an entry is called: like the entry, or as its customization says; undefined if the name is to be generated.
 */
export function clusterNameOf(entry: Entry, customizations: Customizations): string | undefined {
  if (entry.generateName !== true) return entry.name
  const customization = customizations.get(entry.customizationRef?.name ?? '')
  return customization === undefined ? undefined : nameSetBy(customization)
}

/** What a customization calls its cluster, by a patch of the name; undefined if it does not, or if that is no host name. */
export function nameSetBy({ spec: { installConfigPatches = [] } }: ClusterDeploymentCustomization): string | undefined {
  const last = installConfigPatches.findLast(({ op, path }) => path === '/metadata/name' && (op === 'add' || op === 'replace'))
  const value = last?.valueJSON === undefined || last.valueJSON === '' ? last?.value : textOf(last.valueJSON)
  return value === undefined || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(value) || value.length > 63 ? undefined : value
}

function textOf(json: string): string | undefined {
  try {
    const value = JSON.parse(json) as unknown
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether a cluster has its name from an inventory: generated names are those of the object itself. */
function isNamed({ spec, metadata }: ClusterDeployment): boolean {
  return spec.clusterName !== metadata.name
}

/** The entry that a cluster was made from; undefined if none has to do with it. */
export type EntryOf = (cluster: ClusterDeployment) => string | undefined

/** Finds entries of clusters: by what was written down when they were made, or, if that was lost, by what the clusters themselves say. */
export function entryFinder(pool: ClusterPool): EntryOf {
  const written = new Map(Object.entries(pool.status?.clusterNameUsage ?? {}).map(([entry, namespace]) => [namespace, entry]))
  const entries = entriesOf(pool) ?? []
  const names = new Set(entries.map(({ name }) => name))
  const byCustomization = new Map(entries.map(({ name, customizationRef }) => [customizationRef?.name ?? '', name]))
  return cluster => {
    const { clusterName, clusterPoolRef } = cluster.spec
    const known = written.get(cluster.metadata.name)
    if (known !== undefined) return known
    if (isNamed(cluster) && names.has(clusterName)) return clusterName
    const customization = clusterPoolRef?.clusterDeploymentCustomization?.name
    if (customization !== undefined) return byCustomization.get(customization) ?? customization
    return isNamed(cluster) ? clusterName : undefined
  }
}

/** How the last use of an entry ended: as its customization says, which other pools may have used since, or as the pool remembers. */
export function lastUse({ name, customizationRef }: Entry, pool: ClusterPool, customizations: Customizations): LastUse | undefined {
  const customization = customizations.get(customizationRef?.name ?? '')
  const told = customization === undefined ? undefined : findCondition(customization, 'ApplySucceeded')
  if (told === undefined) return pool.status?.nameResults?.[name]
  const { lastTransitionTime: time, message } = told
  if (told.status === 'True') return { result: 'Succeeded', time }
  return told.reason === 'InstallationPending' ? undefined : { result: 'Failed', time, message: message.slice(0, 1_000) }
}

/** Until when a name is left alone because an installation under it failed; undefined if it is not. */
export function quarantinedUntil(last: LastUse | undefined, pool: ClusterPool, now: number): number | undefined {
  if (pool.spec.quarantine === undefined || last?.result !== 'Failed') return undefined
  const until = parseTime(last.time) + parseDuration(pool.spec.quarantine)
  return until > now ? until : undefined
}

/** Names in the order in which they are tried: those that last went well, then those never used, then those that failed; oldest first. */
export function inOrderOfTrust(names: readonly string[], lastUseOf: (name: string) => LastUse | undefined): readonly string[] {
  const rank = (name: string) => {
    const last = lastUseOf(name)
    return last === undefined ? '1' : `${last.result === 'Succeeded' ? 0 : 2} ${last.time}`
  }
  const keys = new Map(names.map(name => [name, `${rank(name)} ${name}`]))
  return names.toSorted((a, b) => (keys.get(a)! < keys.get(b)! ? -1 : 1))
}
