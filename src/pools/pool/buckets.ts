import { ClusterDeployment } from '../../kinds/index.ts'
import type { ClusterPool } from '../../kinds/index.ts'
import { isBeingDeleted } from '../../control/index.ts'
import { olderRemovalAnnotation, removalAnnotation, versionAnnotation, versionFormAnnotation } from '../names.ts'
import { saysYes } from '../says-yes.ts'
import { brokenFrom } from './broken.ts'
import { versionForm } from './pool-version.ts'

type Clusters = readonly ClusterDeployment[]

/** A pool's clusters, each in exactly one of the first seven; oldest first. */
export interface Buckets {
  readonly deleting: Clusters
  /** Somebody asked for the removal. */
  readonly marked: Clusters
  readonly claimed: Clusters
  readonly broken: Clusters
  /** Can be claimed now. */
  readonly assignable: Clusters
  /** Installed, but not running. */
  readonly standby: Clusters
  readonly installing: Clusters
  /** Unclaimed ones, broken included. */
  readonly unassigned: Clusters
  /** Unclaimed ones that say nothing about their version, and those of another. */
  readonly unknownVersion: Clusters
  readonly otherVersion: Clusters
  /** Unclaimed ones whose version was computed in an earlier way, so that it cannot be compared. */
  readonly earlierForm: Clusters
}

/** Sorts clusters by what can be done with them. */
export function bucketsOf(clusters: Clusters, pool: ClusterPool, version: string, now: number): Buckets {
  const sorted = clusters.toSorted(olderFirst)
  const by = Map.groupBy(sorted, cluster => bucketOf(cluster, pool, now))
  const [broken = [], assignable = [], standby = [], installing = []] = [
    by.get('broken'),
    by.get('assignable'),
    by.get('standby'),
    by.get('installing'),
  ]
  const unassigned = [...broken, ...assignable, ...standby, ...installing].toSorted(olderFirst)
  return {
    deleting: by.get('deleting') ?? [],
    marked: by.get('marked') ?? [],
    claimed: by.get('claimed') ?? [],
    broken,
    assignable,
    standby,
    installing,
    unassigned,
    unknownVersion: unassigned.filter(cluster => versionOf(cluster) === ''),
    otherVersion: unassigned.filter(cluster => !['', version].includes(versionOf(cluster)) && formOf(cluster) === versionForm),
    earlierForm: unassigned.filter(cluster => formOf(cluster) < versionForm),
  }
}

/** The clusters that can be claimed now, oldest first. */
export function assignableOf(clusters: Clusters, pool: ClusterPool, now: number): Clusters {
  return clusters.filter(cluster => bucketOf(cluster, pool, now) === 'assignable').toSorted(olderFirst)
}

function bucketOf(cluster: ClusterDeployment, pool: ClusterPool, now: number): keyof Buckets {
  if (isBeingDeleted(cluster)) return 'deleting'
  if (isMarked(cluster)) return 'marked'
  if (claimNameOf(cluster) !== undefined) return 'claimed'
  if (now >= brokenFrom(cluster, pool)) return 'broken'
  if (!cluster.spec.installed) return 'installing'
  return cluster.status?.powerState === 'Running' ? 'assignable' : 'standby'
}

/** Whether somebody asked the pool to remove a cluster. */
export function isMarked(cluster: ClusterDeployment): boolean {
  return [removalAnnotation, olderRemovalAnnotation].some(name => saysYes(cluster, name))
}

/** What protects a cluster, and how that is taken away; undefined if it may be removed. Deletions of protected ones are refused. */
export function protectionOf(cluster: ClusterDeployment): { readonly message: string; readonly fix: string } | undefined {
  return ClusterDeployment.deletionProblem?.(cluster)
}

/** The claim that has a cluster. */
export function claimNameOf({ spec }: ClusterDeployment): string | undefined {
  const name = spec.clusterPoolRef?.claimName
  return name === '' ? undefined : name
}

function versionOf({ metadata }: ClusterDeployment): string {
  return metadata.annotations?.[versionAnnotation] ?? ''
}

/** The way in which a cluster's version was computed. Who does not say it knows of one way only, and is taken at his word. */
function formOf({ metadata }: ClusterDeployment): number {
  return Number(metadata.annotations?.[versionFormAnnotation] ?? versionForm)
}

interface Aged {
  readonly metadata: { readonly creationTimestamp?: string; readonly namespace?: string; readonly name: string }
}

/** The oldest first; those of one second by name, so that everybody who looks sees the same order. */
export function olderFirst(a: Aged, b: Aged): number {
  const [first, second] = [ageText(a), ageText(b)]
  return first < second ? -1 : first > second ? 1 : 0
}

function ageText({ metadata }: Aged): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.namespace ?? ''}/${metadata.name}`
}
