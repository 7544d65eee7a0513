import { ClusterDeployment, ClusterDeploymentCustomization, ClusterPool } from '../../kinds/index.ts'
import type { Pass } from '../../control/index.ts'
import type { Key } from '../../store/index.ts'
import { olderFirst } from './buckets.ts'
import { clusterNameOf, type Customizations, entriesOf, nameSetBy } from './inventory.ts'
import { isTaken, ledgerOf } from './ledger.ts'
import { poolKeysOf } from './pool-keys.ts'

/*
 * A cluster answers at api.NAME.BASEDOMAIN, so that no two may have the same name below one domain, whichever pools they belong to. An
 * entry is called like its cluster, or its customization says what the cluster is called; so pools are found by the one, and by way of
 * customizations by the other.
 */

type Read = Pass<ClusterPool>['read']

/** The index of clusters by host. */
export const clustersByHost = ({ spec }: ClusterDeployment): readonly string[] => [hostOf(spec.clusterName, spec.baseDomain)]

/** The index of customizations by the name that they give to their cluster. */
export const customizationsByName = (customization: ClusterDeploymentCustomization): readonly string[] => {
  const name = nameSetBy(customization)
  return name === undefined ? [] : [name]
}

/** The index of pools by the hosts of entries that are called like their clusters, and of those that are in use. */
export function poolsByHost(pool: ClusterPool): readonly string[] {
  return ownNames(pool).map(name => hostOf(name, pool.spec.baseDomain))
}

/** The index of pools by the customizations that they name. */
export function poolsByCustomization({ metadata, spec }: ClusterPool): readonly string[] {
  const entries = spec.inventory?.clusterDeployments ?? []
  const names = [spec.customizationRef, ...entries.map(({ customizationRef }) => customizationRef)].flatMap(ref => ref?.name ?? [])
  return [...new Set(names)].map(name => `${metadata.namespace}/${name}`)
}

/** The customizations that a pool names, of those that are there. */
export function customizationsOf(pool: ClusterPool, read: Read): Customizations {
  const found = poolsByCustomization(pool).map(key => read(ClusterDeploymentCustomization).get(key))
  return new Map(found.flatMap(each => (each === undefined ? [] : [[each.metadata.name, each]])))
}

/** Who else has a name, or has the older right to it. */
export function holderOf(name: string, pool: ClusterPool, read: Read): string | undefined {
  const stranger = read(ClusterDeployment)
    .byIndex('byHost', hostOf(name, pool.spec.baseDomain))
    .find(cluster => poolKeysOf(cluster).every(key => !isKeyOf(key, pool)))
  if (stranger !== undefined) return `ClusterDeployment/${stranger.metadata.namespace}/${stranger.metadata.name}`
  const wishes = wishesFor(name, pool.spec.baseDomain, read)
  const isMine = wishes.some(wish => isSame(wish.pool, pool) && isTaken(ledgerOf(pool), wish.entry))
  const rival = wishes.find(
    wish => !isSame(wish.pool, pool) && (isTaken(ledgerOf(wish.pool), wish.entry) || (!isMine && olderFirst(wish.pool, pool) < 0)),
  )
  return rival === undefined ? undefined : `ClusterPool/${rival.pool.metadata.namespace}/${rival.pool.metadata.name}`
}

/** The pools that want a name which a pool wants, too: they need to know of each other. */
export function rivalsOf(pool: ClusterPool, read: Read): readonly Key[] {
  const customizations = customizationsOf(pool, read)
  const resolved = (entriesOf(pool) ?? []).flatMap(entry =>
    entry.generateName === true ? (clusterNameOf(entry, customizations) ?? []) : [],
  )
  const wishes = [...ownNames(pool), ...resolved].flatMap(name => wishesFor(name, pool.spec.baseDomain, read))
  return wishes.filter(wish => !isSame(wish.pool, pool)).map(wish => poolKey(wish.pool))
}

/** The pools whose clusters a customization is for, and those that want the name which it gives. */
export function poolsConcernedBy(customization: ClusterDeploymentCustomization, read: Read): readonly Key[] {
  const { namespace, name } = customization.metadata
  const listing = read(ClusterPool).byIndex('byCustomization', `${namespace}/${name}`)
  const rivals = customizationsByName(customization).flatMap(clusterName =>
    listing.flatMap(({ spec }) => wishesFor(clusterName, spec.baseDomain, read)),
  )
  return [...listing, ...rivals.map(({ pool }) => pool)].map(poolKey)
}

/** The name of a pool's object. */
export function poolKey({ metadata }: ClusterPool): Key {
  return { namespace: metadata.namespace ?? '', name: metadata.name }
}

interface Wish {
  readonly pool: ClusterPool
  readonly entry: string
}

/** The entries of all pools whose clusters are called so below a domain. */
function wishesFor(name: string, baseDomain: string, read: Read): readonly Wish[] {
  const plain = read(ClusterPool).byIndex('byHost', hostOf(name, baseDomain))
  const naming = read(ClusterDeploymentCustomization).byIndex('byName', name)
  return [
    ...plain.map(pool => ({ pool, entry: name })),
    ...naming.flatMap(({ metadata }) =>
      read(ClusterPool)
        .byIndex('byCustomization', `${metadata.namespace}/${metadata.name}`)
        .filter(({ spec }) => spec.baseDomain === baseDomain)
        .flatMap(pool => entriesNamedBy(metadata.name, pool)),
    ),
  ]
}

/** The entries of a pool whose clusters are called as a customization says. */
function entriesNamedBy(customization: string, pool: ClusterPool): readonly Wish[] {
  const entries = entriesOf(pool) ?? []
  return entries.flatMap(({ name, generateName, customizationRef }) =>
    generateName === true && customizationRef?.name === customization ? [{ pool, entry: name }] : [],
  )
}

/** The names of entries that are called like their clusters, and those in use. */
function ownNames(pool: ClusterPool): readonly string[] {
  const entries = entriesOf(pool) ?? []
  const nameless = new Set(entries.flatMap(({ name, generateName }) => (generateName === true ? [name] : [])))
  const names = new Set([...entries.map(({ name }) => name), ...Object.keys(ledgerOf(pool).usage)])
  return [...names].filter(name => !nameless.has(name))
}

function hostOf(name: string, baseDomain: string): string {
  return `${name}.${baseDomain}`
}

function isKeyOf({ namespace, name }: Key, { metadata }: ClusterPool): boolean {
  return metadata.namespace === namespace && metadata.name === name
}

function isSame(a: ClusterPool, b: ClusterPool): boolean {
  return isKeyOf(poolKey(a), b)
}
