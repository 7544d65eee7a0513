import { describe, expect, test } from 'vitest'
import { isoTime } from '../../ports/index.ts'
import type { ClusterClaim, ClusterDeployment, ClusterPool, Condition } from '../../kinds/index.ts'
import { removalAnnotation, versionAnnotation } from '../names.ts'
import { base, type Spec } from '../testing/table-pool.ts'
import { currentCondition, capacityCondition } from './conditions.ts'
import { planPool } from './plan.ts'
import { poolVersion } from './pool-version.ts'

// The situations of the specification's tables (hive-clusterpool §4.1): one look at a pool, and what is decided.

const now = 1_800_000_000_000
const hour = 3_600_000

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

/** What is left and what is decided after one look. */
interface Expected {
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

interface Row {
  readonly name: string
  readonly spec: Partial<Spec>
  readonly clusters: Readonly<Record<string, Traits>>
  readonly claims: readonly string[]
  readonly expected: Expected
}

function row(name: string, spec: Row['spec'], clusters: Row['clusters'], expected: Expected, claims: Row['claims'] = []): Row {
  return { name, spec, clusters, claims, expected }
}

function look({ spec, clusters, claims }: Row) {
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
    run: plan.running.length + newRunning + plan.given.size + untouched.length,
  }
}

function check(rows: readonly Row[]) {
  test.each(rows)('$name', given => {
    const { plan, seen, total, removed, run } = look(given)
    const found: Required<Expected> = {
      total,
      size: plan.buckets.unassigned.length,
      ready: plan.buckets.assignable.length,
      gone: removed,
      assigned: plan.given.size,
      unassigned: plan.pending.length,
      run,
      current: currentCondition(plan).condition?.status as Condition['status'],
      capacity: capacityCondition(seen, plan).condition?.status === 'True',
    }
    // What a row does not say is nothing, and all clusters are current.
    const { size = 0, ready = 0, assigned = 0, unassigned = 0, run: running = 0, current = 'True' } = given.expected
    expect(found).toMatchObject({ ...given.expected, size, ready, assigned, unassigned, run: running, current })
  })
}

describe('stale and broken clusters', () => {
  check([
    row(
      'delete oldest stale cluster first',
      { size: 2 },
      { c1: { ...S, version: 'abc123' }, c2: { ...S, version: 'def345', age: 1 } },
      { total: 1, size: 2, gone: ['c2'], current: 'False' },
    ),
    row(
      'delete stale unknown-version cluster first',
      { size: 2 },
      { c1: { ...S, version: '' }, c2: { ...S, version: 'bogus, but set', age: 1 } },
      { total: 1, size: 2, gone: ['c1'], current: 'False' },
    ),
    row(
      'stale clusters not deleted if under capacity',
      { size: 3 },
      { c1: S, c2: { ...S, version: 'x' } },
      { total: 3, size: 2, gone: [], current: 'False' },
    ),
    row(
      'stale clusters not deleted if over capacity',
      { size: 1 },
      { c1: S, c2: { ...R, version: 'x' } },
      { total: 1, size: 2, ready: 1, gone: ['c1'], current: 'False' },
    ),
    row(
      'delete broken unclaimed clusters',
      { size: 4 },
      { c1: B, c2: { ...B, ...S }, c3: I, c4: S, c5: { ...S, claim: 'test1' }, c6: { ...B, claim: 'test2' } },
      { total: 4, size: 4, gone: ['c1', 'c2'] },
    ),
    row(
      'deleting broken clusters is bounded by maxConcurrent',
      { size: 4, maxConcurrent: 2 },
      { c1: B, c2: B, c3: B, c4: B },
      { total: 2, size: 4 },
    ),
    row('adding takes precedence over deleting broken clusters', { size: 3 }, { c1: B, c2: I }, { total: 3, size: 2 }),
    row(
      'broken clusters are deleted at MaxSize',
      { size: 2, maxSize: 3 },
      { c1: B, c2: { ...S, claim: 'a' }, c3: { ...S, claim: 'b' } },
      { total: 2, size: 1, gone: ['c1'] },
    ),
  ])
})

describe('scaling', () => {
  check([
    row('create all clusters', { size: 5 }, {}, { total: 5 }),
    row('scale up', { size: 5 }, trio, { total: 5, size: 3, ready: 1 }),
    row('scale up with no more capacity', { size: 5, maxSize: 3 }, trio, { total: 3, size: 3, ready: 1, capacity: false }),
    row(
      'scale up with no more capacity including claimed',
      { size: 5, maxSize: 3 },
      { c1: { ...S, claim: 'test' }, c2: S, c3: I },
      { total: 3, size: 2, capacity: false },
    ),
    row('scale up with no more max concurrent', { size: 5, maxConcurrent: 1 }, trio, { total: 3, size: 3, ready: 1 }),
    row('scale up with one more max concurrent', { size: 5, maxConcurrent: 2 }, trio, { total: 4, size: 3, ready: 1 }),
    row('scale up with max concurrent and max size', { size: 6, maxSize: 5, maxConcurrent: 1 }, trio, {
      total: 3,
      size: 3,
      ready: 1,
      capacity: true,
    }),
    row(
      'scale up with max concurrent and max size 2',
      { size: 6, maxSize: 5, maxConcurrent: 1 },
      { ...trio, c3: R },
      { total: 4, size: 3, ready: 2, capacity: true },
    ),
    row(
      'no scale up with max concurrent and some deleting',
      { size: 5, maxConcurrent: 2 },
      { c1: { ...R, ...D }, c2: S, c3: I },
      { total: 3, size: 2, run: 1 },
    ),
    row(
      'scale up with max concurrent and some deleting',
      { size: 5, maxConcurrent: 3 },
      { c1: { ...S, ...D }, c2: R, c3: I },
      { total: 4, size: 2, ready: 1 },
    ),
    row(
      'scale down with max concurrent enough',
      { size: 3, maxConcurrent: 3 },
      { c1: S, c2: S, c3: S, c4: R, c5: R, c6: R },
      { total: 3, size: 6, ready: 3, gone: ['c1', 'c2', 'c3'] },
    ),
    row(
      'scale down with max concurrent not enough',
      { size: 3, maxConcurrent: 2 },
      { c1: S, c2: S, c3: S, c4: R, c5: R, c6: R },
      { total: 4, size: 6, ready: 3 },
    ),
    row(
      'delete most recent installing clusters first',
      { size: 1 },
      { c1: { ...I, age: 900 }, c2: { ...I, age: 100 } },
      { total: 1, size: 2, gone: ['c2'] },
    ),
  ])
})

describe('membership', () => {
  check([
    row(
      'claimed clusters are not counted against pool size',
      { size: 3 },
      { ...trio, c4: { ...S, claim: 'test-claim' } },
      { total: 4, size: 3, ready: 1 },
    ),
    row(
      'deleting clusters are not counted against pool size',
      { size: 3 },
      { c1: R, c2: S, c3: I, c4: { ...S, ...D }, c5: { ...R, ...D }, c6: { ...I, ...D } },
      { total: 6, size: 3, ready: 1, run: 1 },
    ),
    row(
      'max size should include the deleting unclaimed clusters',
      { size: 2, maxSize: 3 },
      { c1: S, c2: R, c3: { ...R, ...D } },
      { total: 3, ready: 1, size: 2, capacity: false, run: 1 },
    ),
    row('max capacity resolved', { size: 2, maxSize: 3 }, { c1: R, c2: S }, { total: 2, size: 2, ready: 1, capacity: true }),
  ])
})

describe('claims', () => {
  const gone = { ...S, claim: 'x', marked: true }
  check([
    row('assign to claim', { size: 3 }, trio, { total: 4, size: 3, ready: 1, assigned: 1, run: 1 }, ['test-claim']),
    row('no ready clusters to assign to claim', { size: 3 }, { c1: S, c2: I, c3: I }, { total: 4, size: 3, unassigned: 1, run: 1 }, [
      'test-claim',
    ]),
    row(
      'do not delete previously claimed clusters 2',
      { size: 3 },
      { c1: S, c2: R, c3: R, c4: { ...gone, ...D } },
      { total: 4, size: 3, ready: 2 },
    ),
    row('delete previously claimed clusters', { size: 3 }, { ...trio, c4: gone }, { total: 3, ready: 1, size: 3, gone: ['c4'] }),
    row(
      'deleting previously claimed clusters should use max concurrent',
      { size: 3, maxConcurrent: 2 },
      { c1: S, c2: I, c3: I, c4: gone },
      { total: 4, size: 3 },
    ),
    row(
      'deleting previously claimed clusters should use max concurrent 2',
      { size: 3, maxConcurrent: 2 },
      { c1: S, c2: { ...S, ...D }, c3: I, c4: gone },
      { total: 4, size: 2 },
    ),
    row(
      'deleting previously claimed clusters should use max concurrent 3',
      { size: 3, maxConcurrent: 3 },
      { c1: S, c2: { ...S, ...D }, c3: I, c4: gone },
      { total: 3, size: 2, gone: ['c4'] },
    ),
    row(
      'scale up should include previouly deleted in max concurrent',
      { size: 4, maxConcurrent: 2 },
      { c1: S, c3: I, c4: gone },
      { total: 2, size: 2, gone: ['c4'] },
    ),
    row(
      'scale up should include previouly deleted in max concurrent all used by deleting previously claimed',
      { size: 4, maxConcurrent: 2 },
      { c1: S, c3: R, c4: gone, c5: gone },
      { total: 2, size: 2, ready: 1, gone: ['c4', 'c5'] },
    ),
    row(
      'scale up should include previouly deleted in max concurrent all used by installing one cluster and deleting one previously claimed cluster',
      { size: 4, maxConcurrent: 2 },
      { c1: S, c3: I, c4: gone, c5: gone },
      { total: 3, size: 2, gone: ['c4'] },
    ),
    row(
      'scale down should include previouly deleted in max concurrent',
      { size: 1, maxConcurrent: 2 },
      { ...trio, c4: gone },
      { total: 3, ready: 1, size: 3, gone: ['c4'] },
    ),
    row(
      'scale down should include previouly deleted in max concurrent all used by deleting previously claimed clusters',
      { size: 1, maxConcurrent: 2 },
      { c1: S, c2: R, c3: R, c4: gone, c5: gone },
      { total: 3, size: 3, ready: 2, gone: ['c4', 'c5'] },
    ),
    row(
      'scale down should include previouly deleted in max concurrent all used by one installing cluster and deleting one previously claimed cluster',
      { size: 1, maxConcurrent: 2 },
      { ...trio, c4: gone, c5: gone },
      { total: 4, ready: 1, size: 3, gone: ['c4'] },
    ),
    row('claims exceed capacity', { size: 2 }, {}, { total: 5, unassigned: 3, run: 3 }, ['a', 'b', 'c']),
    row('zero size pool', { size: 0 }, {}, { total: 1, unassigned: 1, run: 1 }, ['a']),
  ])
})

describe('versions and running clusters', () => {
  check([
    row('no CDs match pool version', { size: 2 }, { c1: { version: 'a' }, c2: { version: 'b' } }, { total: 2, size: 2, current: 'False' }),
    row('not all CDs match pool version', { size: 2 }, { c1: { version: 'a' }, c2: I }, { total: 2, size: 2, current: 'False' }),
    row(
      'empty pool version results in unknown CDCurrent status',
      { size: 1 },
      { c1: { version: '' } },
      { total: 1, size: 1, current: 'Unknown' },
    ),
    row(
      'claimed CD at old version does not affect version status',
      { size: 2 },
      { c1: { ...S, claim: 'x', version: 'old' }, c2: I, c3: I },
      { total: 3, size: 2, current: 'True' },
    ),
    row('runningCount == size', { size: 4, runningCount: 4 }, {}, { total: 4, run: 4 }),
    row('runningCount > size', { size: 4, runningCount: 400 }, {}, { total: 4, run: 4 }),
    row(
      'runningCount restored after deletion',
      { size: 4, runningCount: 2 },
      { c1: { ...R, ...D }, c2: I, c3: I, c4: I },
      { total: 5, size: 3, run: 3 },
    ),
    row(
      'pool size > number of claims > runningCount',
      { size: 4, runningCount: 3 },
      { c1: R, c2: R, c3: R, c4: S },
      { total: 7, size: 4, ready: 3, run: 6, assigned: 3 },
      ['a', 'b', 'c'],
    ),
    row(
      'number of claims > pool size > runningCount',
      { size: 4, runningCount: 2 },
      { c1: R, c2: R, c3: S, c4: S },
      { total: 9, size: 4, ready: 2, run: 7, assigned: 2, unassigned: 3 },
      ['a', 'b', 'c', 'd', 'e'],
    ),
  ])
})
