import { expect, test } from 'vitest'
import { isoTime } from '../../ports/index.ts'
import type { ClusterClaim, ClusterDeployment } from '../../kinds/index.ts'
import { removalAnnotation } from '../names.ts'
import { linksOf } from './links.ts'

interface Row {
  readonly name: string
  /** `claim` or `claim→cluster`, oldest first; with a cross if it is being deleted. */
  readonly claims: readonly string[]
  /** `cluster` or `cluster→claim`, oldest first; with a cross if it is being deleted, with a minus if its removal is wanted. */
  readonly clusters: readonly string[]
  /** `claim=cluster` each. */
  readonly toClaim?: readonly string[]
  readonly toTell?: readonly string[]
  readonly assignments?: readonly string[]
  readonly pending?: readonly string[]
}

const metadataOf = (text: string, index: number) => {
  const [, name = '', , mark = ''] = /^(\w+)(→\w*)?([†-])?$/.exec(text) ?? []
  return {
    name,
    creationTimestamp: isoTime(index * 1000),
    ...(mark === '†' ? { deletionTimestamp: isoTime(0) } : {}),
    ...(mark === '-' ? { annotations: { [removalAnnotation]: 'true' } } : {}),
  }
}
const targetOf = (text: string) => /→(\w+)/.exec(text)?.[1]

function claimFrom(text: string, index: number): ClusterClaim {
  const namespace = targetOf(text)
  return {
    metadata: { ...metadataOf(text, index), namespace: 'team' },
    spec: { clusterPoolName: 'pool', ...(namespace === undefined ? {} : { namespace }) },
  } as unknown as ClusterClaim
}

function clusterFrom(text: string, index: number): ClusterDeployment {
  const metadata = metadataOf(text, index)
  const claimName = targetOf(text)
  return {
    metadata: { ...metadata, namespace: metadata.name },
    spec: { clusterPoolRef: { namespace: 'team', poolName: 'pool', ...(claimName === undefined ? {} : { claimName }) } },
  } as unknown as ClusterDeployment
}

test.each<Row>([
  { name: 'nobody wants anything', claims: [], clusters: ['a'] },
  { name: 'the oldest claim gets the oldest cluster', claims: ['x', 'y'], clusters: ['b', 'a'], assignments: ['x=b', 'y=a'] },
  { name: 'who came later waits', claims: ['x', 'y', 'z'], clusters: ['a'], assignments: ['x=a'], pending: ['y', 'z'] },
  { name: 'both sides agree', claims: ['x→a'], clusters: ['a→x'] },
  { name: 'the claim was told, the cluster not yet', claims: ['x→a'], clusters: ['a'], toClaim: ['x=a'] },
  { name: 'of two claims that were told the same the older has it', claims: ['x→a', 'y→a'], clusters: ['a'], toClaim: ['x=a'] },
  { name: 'what one was told another does not get', claims: ['x→a', 'y'], clusters: ['a', 'b'], toClaim: ['x=a'], assignments: ['y=b'] },
  { name: 'the cluster knows, the claim not yet, and gets no second one', claims: ['x'], clusters: ['a→x', 'b'], toTell: ['x=a'] },
  { name: 'a cluster on its way out is nobody’s', claims: ['x→a', 'y'], clusters: ['a†', 'b→y†'], pending: ['y'] },
  { name: 'a cluster whose removal is wanted is not claimed any more', claims: ['x→a'], clusters: ['a-'] },
  { name: 'a claim on its way out gets nothing', claims: ['x†', 'y→a†'], clusters: ['a', 'b'] },
])('$name', ({ claims, clusters, toClaim = [], toTell = [], assignments = [], pending = [] }) => {
  const made = clusters.map(clusterFrom)
  const assignable = made.filter(
    ({ metadata, spec }) =>
      metadata.deletionTimestamp === undefined && metadata.annotations === undefined && spec.clusterPoolRef?.claimName === undefined,
  )
  const links = linksOf(made, claims.map(claimFrom), assignable)
  const texts = (pairs: (typeof links)['assignments']) =>
    pairs.map(({ claim, cluster }) => `${claim.metadata.name}=${cluster.metadata.name}`)
  expect({
    toClaim: texts(links.toClaim),
    toTell: texts(links.toTell),
    assignments: texts(links.assignments),
    pending: links.pending.map(({ metadata }) => metadata.name),
  }).toEqual({ toClaim, toTell, assignments, pending })
})
