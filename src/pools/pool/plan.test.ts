import { describe, expect, test } from 'vitest'
import { isoTime } from '../../ports/index.ts'
import type { ClusterClaim, ClusterDeployment, ClusterPool, Condition } from '../../kinds/index.ts'
import { removalAnnotation, versionAnnotation } from '../names.ts'
import { currentCondition, capacityCondition } from './conditions.ts'
import { planPool } from './plan.ts'
import { poolVersion } from './pool-version.ts'

// The situations of the specification's tables (hive-clusterpool §4.1): one look at a pool, and what is decided.

const now = 1_800_000_000_000
const hour = 3_600_000

type Spec = ClusterPool['spec']
const base: Spec = {
  platform: { aws: { credentialsSecretRef: { name: 'aws-creds' }, region: 'region' } },
  baseDomain: 'test-domain',
  imageSetRef: { name: 'test-image-set' },
  size: 0,
}
const pool = (spec: Partial<Spec>, names: Readonly<Record<string, string>> = {}): ClusterPool => ({
  apiVersion: 'hive.openshift.io/v1',
  kind: 'ClusterPool',
  metadata: { name: 'aws-us-east-1', namespace: 'test-namespace' },
  spec: { ...base, ...spec },
  status: { reserved: Object.values(names) },
})

interface Traits {
  readonly installed?: boolean
  readonly running?: boolean
  readonly broken?: boolean
  readonly deleting?: boolean
  readonly marked?: boolean
  readonly claim?: string
  readonly version?: string
  readonly age?: number
}
const currentVersion = poolVersion(base)
const condition = (type: string, status: Condition['status']): Condition => ({
  type,
  status,
  reason: 'X',
  message: '',
  lastTransitionTime: isoTime(now - hour),
})

function cluster(name: string, traits: Traits = {}): ClusterDeployment {
  const {
    installed = false,
    running = false,
    broken = false,
    deleting = false,
    marked = false,
    claim,
    version = currentVersion,
    age,
  } = traits
  return {
    apiVersion: 'hive.openshift.io/v1',
    kind: 'ClusterDeployment',
    metadata: {
      name,
      namespace: name,
      creationTimestamp: isoTime(now - (age ?? (running ? 6 : 0)) * hour),
      annotations: { [versionAnnotation]: version, ...(marked ? { [removalAnnotation]: 'true' } : {}) },
      ...(deleting ? { deletionTimestamp: isoTime(now), finalizers: ['test/hold'] } : {}),
    },
    spec: {
      clusterName: name,
      baseDomain: 'test-domain',
      platform: base.platform,
      installed: installed || running,
      powerState: running ? 'Running' : 'Hibernating',
      clusterPoolRef: { namespace: 'test-namespace', poolName: 'aws-us-east-1', ...(claim === undefined ? {} : { claimName: claim }) },
    },
    status: { ...(running ? { powerState: 'Running' } : {}), conditions: [condition('ProvisionStopped', broken ? 'True' : 'False')] },
  }
}
const claim = (name: string): ClusterClaim => ({
  apiVersion: 'hive.openshift.io/v1',
  kind: 'ClusterClaim',
  metadata: { name, namespace: 'test-namespace', creationTimestamp: isoTime(now) },
  spec: { clusterPoolName: 'aws-us-east-1' },
})

const I: Traits = {}
const S: Traits = { installed: true }
const R: Traits = { running: true }
const B: Traits = { broken: true }
const D: Traits = { deleting: true }
const trio = { c1: S, c2: R, c3: I }

interface Row {
  readonly name: string
  readonly spec: Partial<Spec>
  readonly clusters?: Readonly<Record<string, Traits>>
  readonly claims?: readonly string[]
  /** All that are left after the pass, new ones included. */
  readonly total: number
  readonly size?: number
  readonly ready?: number
  readonly gone?: readonly string[]
  readonly assigned?: number
  readonly unassigned?: number
  /** Clusters whose wanted power is Running, new and claimed ones included. */
  readonly run?: number
  readonly current?: Condition['status']
  readonly capacity?: boolean
}

function look({ spec, clusters = {}, claims = [] }: Row) {
  const made = Object.entries(clusters).map(([name, traits]) => cluster(name, traits))
  const names = Object.fromEntries(Object.keys(clusters).map(name => [name, name]))
  const seen = pool(spec, names)
  const view = {
    pool: seen,
    version: poolVersion(seen.spec),
    now,
    clusters: made,
    claims: claims.map(claim),
    holderOf: () => undefined,
    adopted: [],
    customizations: new Map(),
  }
  const plan = planPool(view)
  const removed = plan.removals.map(({ cluster: { metadata } }) => metadata.name)
  const newRunning = Math.max(0, Math.min(plan.add, plan.runningToMake))
  const untouched = made.filter(
    ({ metadata, spec: { powerState, clusterPoolRef } }) =>
      powerState === 'Running' && clusterPoolRef?.claimName === undefined && metadata.deletionTimestamp !== undefined,
  )
  return {
    plan,
    seen,
    total: made.length - removed.length + plan.add,
    removed: removed.toSorted(),
    run: plan.running.length + newRunning + plan.assignments.length + untouched.length,
  }
}

function check(rows: readonly Row[]) {
  test.each(rows)('$name', row => {
    const { plan, seen, total, removed, run } = look(row)
    expect(total, 'clusters').toBe(row.total)
    if (row.size !== undefined) expect(plan.buckets.unassigned.length, 'status.size').toBe(row.size)
    if (row.ready !== undefined) expect(plan.buckets.assignable.length, 'status.ready').toBe(row.ready)
    if (row.gone !== undefined) expect(removed, 'gone').toEqual(row.gone)
    if (row.assigned !== undefined) expect(plan.assignments.length, 'assigned').toBe(row.assigned)
    if (row.unassigned !== undefined) expect(plan.pending.length, 'pending').toBe(row.unassigned)
    if (row.run !== undefined) expect(run, 'running').toBe(row.run)
    if (row.current !== undefined) expect(currentCondition(plan).condition?.status).toBe(row.current)
    if (row.capacity !== undefined) expect(capacityCondition(seen, plan).condition?.status).toBe(row.capacity ? 'True' : 'False')
  })
}

describe('stale and broken clusters', () => {
  check([
    {
      name: 'delete oldest stale cluster first',
      spec: { size: 2 },
      clusters: { c1: { ...S, version: 'abc123' }, c2: { ...S, version: 'def345', age: 1 } },
      total: 1,
      size: 2,
      gone: ['c2'],
      current: 'False',
    },
    {
      name: 'delete stale unknown-version cluster first',
      spec: { size: 2 },
      clusters: { c1: { ...S, version: '' }, c2: { ...S, version: 'bogus, but set', age: 1 } },
      total: 1,
      gone: ['c1'],
      current: 'False',
    },
    {
      name: 'stale clusters not deleted if under capacity',
      spec: { size: 3 },
      clusters: { c1: S, c2: { ...S, version: 'x' } },
      total: 3,
      size: 2,
      gone: [],
      current: 'False',
    },
    {
      name: 'stale clusters not deleted if over capacity',
      spec: { size: 1 },
      clusters: { c1: S, c2: { ...R, version: 'x' } },
      total: 1,
      size: 2,
      ready: 1,
      gone: ['c1'],
      current: 'False',
    },
    {
      name: 'delete broken unclaimed clusters',
      spec: { size: 4 },
      clusters: { c1: B, c2: { ...B, ...S }, c3: I, c4: S, c5: { ...S, claim: 'test1' }, c6: { ...B, claim: 'test2' } },
      total: 4,
      size: 4,
      gone: ['c1', 'c2'],
    },
    {
      name: 'deleting broken clusters is bounded by maxConcurrent',
      spec: { size: 4, maxConcurrent: 2 },
      clusters: { c1: B, c2: B, c3: B, c4: B },
      total: 2,
      size: 4,
    },
    { name: 'adding takes precedence over deleting broken clusters', spec: { size: 3 }, clusters: { c1: B, c2: I }, total: 3, size: 2 },
    {
      name: 'broken clusters are deleted at MaxSize',
      spec: { size: 2, maxSize: 3 },
      clusters: { c1: B, c2: { ...S, claim: 'a' }, c3: { ...S, claim: 'b' } },
      total: 2,
      size: 1,
      gone: ['c1'],
    },
  ])
})

describe('scaling', () => {
  check([
    { name: 'create all clusters', spec: { size: 5 }, total: 5 },
    { name: 'scale up', spec: { size: 5 }, clusters: trio, total: 5, size: 3, ready: 1 },
    { name: 'scale up with no more capacity', spec: { size: 5, maxSize: 3 }, clusters: trio, total: 3, capacity: false },
    {
      name: 'scale up with no more capacity including claimed',
      spec: { size: 5, maxSize: 3 },
      clusters: { c1: { ...S, claim: 'test' }, c2: S, c3: I },
      total: 3,
      size: 2,
      capacity: false,
    },
    { name: 'scale up with no more max concurrent', spec: { size: 5, maxConcurrent: 1 }, clusters: trio, total: 3 },
    { name: 'scale up with one more max concurrent', spec: { size: 5, maxConcurrent: 2 }, clusters: trio, total: 4 },
    {
      name: 'scale up with max concurrent and max size',
      spec: { size: 6, maxSize: 5, maxConcurrent: 1 },
      clusters: trio,
      total: 3,
      capacity: true,
    },
    {
      name: 'scale up with max concurrent and max size 2',
      spec: { size: 6, maxSize: 5, maxConcurrent: 1 },
      clusters: { ...trio, c3: R },
      total: 4,
      capacity: true,
    },
    {
      name: 'no scale up with max concurrent and some deleting',
      spec: { size: 5, maxConcurrent: 2 },
      clusters: { c1: { ...R, ...D }, c2: S, c3: I },
      total: 3,
      size: 2,
      run: 1,
    },
    {
      name: 'scale up with max concurrent and some deleting',
      spec: { size: 5, maxConcurrent: 3 },
      clusters: { c1: { ...S, ...D }, c2: R, c3: I },
      total: 4,
      size: 2,
      ready: 1,
    },
    {
      name: 'scale down with max concurrent enough',
      spec: { size: 3, maxConcurrent: 3 },
      clusters: { c1: S, c2: S, c3: S, c4: R, c5: R, c6: R },
      total: 3,
      size: 6,
      ready: 3,
      gone: ['c1', 'c2', 'c3'],
    },
    {
      name: 'scale down with max concurrent not enough',
      spec: { size: 3, maxConcurrent: 2 },
      clusters: { c1: S, c2: S, c3: S, c4: R, c5: R, c6: R },
      total: 4,
      size: 6,
      ready: 3,
    },
    {
      name: 'delete most recent installing clusters first',
      spec: { size: 1 },
      clusters: { c1: { ...I, age: 900 }, c2: { ...I, age: 100 } },
      total: 1,
      gone: ['c2'],
    },
  ])
})

describe('membership', () => {
  check([
    {
      name: 'claimed clusters are not counted against pool size',
      spec: { size: 3 },
      clusters: { ...trio, c4: { ...S, claim: 'test-claim' } },
      total: 4,
      size: 3,
      ready: 1,
    },
    {
      name: 'deleting clusters are not counted against pool size',
      spec: { size: 3 },
      clusters: { c1: R, c2: S, c3: I, c4: { ...S, ...D }, c5: { ...R, ...D }, c6: { ...I, ...D } },
      total: 6,
      size: 3,
      ready: 1,
      run: 1,
    },
    {
      name: 'max size should include the deleting unclaimed clusters',
      spec: { size: 2, maxSize: 3 },
      clusters: { c1: S, c2: R, c3: { ...R, ...D } },
      total: 3,
      size: 2,
      capacity: false,
      run: 1,
    },
    { name: 'max capacity resolved', spec: { size: 2, maxSize: 3 }, clusters: { c1: R, c2: S }, total: 2, capacity: true },
  ])
})

describe('claims', () => {
  const gone = { ...S, claim: 'x', marked: true }
  check([
    {
      name: 'assign to claim',
      spec: { size: 3 },
      clusters: trio,
      claims: ['test-claim'],
      total: 4,
      size: 3,
      ready: 1,
      assigned: 1,
      run: 1,
    },
    {
      name: 'no ready clusters to assign to claim',
      spec: { size: 3 },
      clusters: { c1: S, c2: I, c3: I },
      claims: ['test-claim'],
      total: 4,
      size: 3,
      unassigned: 1,
      run: 1,
    },
    {
      name: 'do not delete previously claimed clusters 2',
      spec: { size: 3 },
      clusters: { c1: S, c2: R, c3: R, c4: { ...gone, ...D } },
      total: 4,
      size: 3,
      ready: 2,
    },
    { name: 'delete previously claimed clusters', spec: { size: 3 }, clusters: { ...trio, c4: gone }, total: 3, size: 3, gone: ['c4'] },
    {
      name: 'deleting previously claimed clusters should use max concurrent',
      spec: { size: 3, maxConcurrent: 2 },
      clusters: { c1: S, c2: I, c3: I, c4: gone },
      total: 4,
      size: 3,
    },
    {
      name: 'deleting previously claimed clusters should use max concurrent 2',
      spec: { size: 3, maxConcurrent: 2 },
      clusters: { c1: S, c2: { ...S, ...D }, c3: I, c4: gone },
      total: 4,
      size: 2,
    },
    {
      name: 'deleting previously claimed clusters should use max concurrent 3',
      spec: { size: 3, maxConcurrent: 3 },
      clusters: { c1: S, c2: { ...S, ...D }, c3: I, c4: gone },
      total: 3,
      size: 2,
      gone: ['c4'],
    },
    {
      name: 'scale up should include previouly deleted in max concurrent',
      spec: { size: 4, maxConcurrent: 2 },
      clusters: { c1: S, c3: I, c4: gone },
      total: 2,
      size: 2,
      gone: ['c4'],
    },
    {
      name: 'scale up should include previouly deleted in max concurrent all used by deleting previously claimed',
      spec: { size: 4, maxConcurrent: 2 },
      clusters: { c1: S, c3: R, c4: gone, c5: gone },
      total: 2,
      size: 2,
      ready: 1,
      gone: ['c4', 'c5'],
    },
    {
      name: 'scale up should include previouly deleted in max concurrent all used by installing one cluster and deleting one previously claimed cluster',
      spec: { size: 4, maxConcurrent: 2 },
      clusters: { c1: S, c3: I, c4: gone, c5: gone },
      total: 3,
      size: 2,
      gone: ['c4'],
    },
    {
      name: 'scale down should include previouly deleted in max concurrent',
      spec: { size: 1, maxConcurrent: 2 },
      clusters: { ...trio, c4: gone },
      total: 3,
      size: 3,
      gone: ['c4'],
    },
    {
      name: 'scale down should include previouly deleted in max concurrent all used by deleting previously claimed clusters',
      spec: { size: 1, maxConcurrent: 2 },
      clusters: { c1: S, c2: R, c3: R, c4: gone, c5: gone },
      total: 3,
      size: 3,
      ready: 2,
      gone: ['c4', 'c5'],
    },
    {
      name: 'scale down should include previouly deleted in max concurrent all used by one installing cluster and deleting one previously claimed cluster',
      spec: { size: 1, maxConcurrent: 2 },
      clusters: { ...trio, c4: gone, c5: gone },
      total: 4,
      size: 3,
      gone: ['c4'],
    },
    { name: 'claims exceed capacity', spec: { size: 2 }, claims: ['a', 'b', 'c'], total: 5, unassigned: 3, run: 3 },
    { name: 'zero size pool', spec: { size: 0 }, claims: ['a'], total: 1, unassigned: 1, run: 1 },
  ])
})

describe('versions and running clusters', () => {
  check([
    {
      name: 'no CDs match pool version',
      spec: { size: 2 },
      clusters: { c1: { version: 'a' }, c2: { version: 'b' } },
      total: 2,
      size: 2,
      current: 'False',
    },
    { name: 'not all CDs match pool version', spec: { size: 2 }, clusters: { c1: { version: 'a' }, c2: I }, total: 2, current: 'False' },
    {
      name: 'empty pool version results in unknown CDCurrent status',
      spec: { size: 1 },
      clusters: { c1: { version: '' } },
      total: 1,
      current: 'Unknown',
    },
    {
      name: 'claimed CD at old version does not affect version status',
      spec: { size: 2 },
      clusters: { c1: { ...S, claim: 'x', version: 'old' }, c2: I, c3: I },
      total: 3,
      size: 2,
      current: 'True',
    },
    { name: 'runningCount == size', spec: { size: 4, runningCount: 4 }, total: 4, run: 4 },
    { name: 'runningCount > size', spec: { size: 4, runningCount: 400 }, total: 4, run: 4 },
    {
      name: 'runningCount restored after deletion',
      spec: { size: 4, runningCount: 2 },
      clusters: { c1: { ...R, ...D }, c2: I, c3: I, c4: I },
      total: 5,
      size: 3,
      run: 3,
    },
    {
      name: 'pool size > number of claims > runningCount',
      spec: { size: 4, runningCount: 3 },
      clusters: { c1: R, c2: R, c3: R, c4: S },
      claims: ['a', 'b', 'c'],
      total: 7,
      size: 4,
      ready: 3,
      run: 6,
      assigned: 3,
    },
    {
      name: 'number of claims > pool size > runningCount',
      spec: { size: 4, runningCount: 2 },
      clusters: { c1: R, c2: R, c3: S, c4: S },
      claims: ['a', 'b', 'c', 'd', 'e'],
      total: 9,
      size: 4,
      ready: 2,
      run: 7,
      assigned: 2,
      unassigned: 3,
    },
  ])
})
