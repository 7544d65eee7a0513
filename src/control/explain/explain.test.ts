import { describe, expect, test } from 'vitest'
import { allKinds, ClusterPool, ConfigMap, type Kind, Namespace, Nest, type Resource, Secret } from '../../kinds/index.ts'
import { KindNotServed, StoreError } from '../../store/index.ts'
import { controller } from '../controller/controller.ts'
import { wait } from '../controller/step.ts'
import { FlakyStore } from '../testing/flaky-store.ts'
import { makeWorld } from '../testing/world.ts'
import { nestController } from '../testing/nest-controller.ts'
import { explain } from './explain.ts'
import { type ExplainReader, storeReader } from './explain-reader.ts'
import { explainText } from './explain-text.ts'

const now = 1_767_276_900_000 // 2026-01-01T14:15:00Z

interface Said {
  readonly status?: string
  readonly reason?: string
  readonly message?: string
  readonly since?: string
  readonly [more: string]: unknown
}

function said(type: string, { status = 'False', reason = 'Because', message = '', since = '2026-01-01T14:00:00Z', ...more }: Said = {}) {
  return { type, status, reason, message, lastTransitionTime: since, ...more }
}

function thing(kind: string, name: string, conditions: readonly unknown[] = [], metadata: object = {}, status: object = {}): Resource {
  const made = { namespace: 'team-a', name, uid: `${kind}-${name}`, creationTimestamp: '2026-01-01T14:03:00Z', ...metadata }
  return { apiVersion: 'test/v1', kind, metadata: made, status: { ...status, conditions } } as Resource
}

const ownedBy = (owner: Resource) => ({
  ownerReferences: [{ apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name, uid: owner.metadata.uid }],
})

const scopes: Readonly<Record<string, 'Namespaced' | 'Cluster'>> = {
  Claim: 'Namespaced',
  Pool: 'Namespaced',
  Cluster: 'Namespaced',
  Rack: 'Cluster',
}

function readerOf(...objects: readonly Resource[]): ExplainReader {
  return {
    scopeOf: ({ kind }) => scopes[kind],
    get: async ({ kind, namespace, name }) =>
      objects.find(object => object.kind === kind && object.metadata.name === name && object.metadata.namespace === namespace),
    dependents: async ({ metadata }) => objects.filter(object => object.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid)),
    unseen: () => [],
  }
}

const queued = {
  reason: 'NoClusters',
  status: 'True',
  message: 'position 3 of 5 in the queue of Pool/big; 2 clusters are installing',
  until: '2026-01-01T14:40:00Z',
  then: 'the oldest waiting claim gets the first ready cluster',
  unblock: 'raise spec.size of Pool/big above 4',
}

describe('what an object says about itself', () => {
  test('each wait with its since, until, then and unblock; and what is well', async () => {
    const claim = thing(
      'Claim',
      'ci',
      [said('Pending', queued), said('Known', { status: 'True', reason: 'Seen' })],
      {},
      { phase: 'Waiting' },
    )
    const told = await explain(claim, readerOf(), { now, depth: 0 })
    expect(told).toMatchObject({
      state: 'waiting',
      phase: 'Waiting',
      object: { kind: 'Claim', namespace: 'team-a', name: 'ci' },
      waits: [{ condition: 'Pending', since: '2026-01-01T14:00:00Z', isOverdue: false, ...queued }],
      settled: [{ condition: 'Known', reason: 'Seen' }],
    })
  })

  test('a wait whose time has passed is overdue', async () => {
    const claim = thing('Claim', 'ci', [said('Pending', { ...queued, until: '2026-01-01T14:10:00Z' })])
    expect((await explain(claim, readerOf(), { now })).waits[0]?.isOverdue).toBe(true)
  })

  test.each([
    { type: 'Ready', status: 'False', then: undefined, isWait: true },
    { type: 'Ready', status: 'Unknown', then: undefined, isWait: true },
    { type: 'Ready', status: 'True', then: undefined, isWait: false },
    { type: 'InstallFailed', status: 'True', then: undefined, isWait: true },
    { type: 'InstallFailed', status: 'False', then: undefined, isWait: false },
    { type: 'NamespaceContentRemaining', status: 'True', then: undefined, isWait: true },
    { type: 'Anything', status: 'True', then: 'it goes on', isWait: true },
  ])('$type $status is a wait: $isWait', async ({ type, status, then, isWait }) => {
    const object = thing('Claim', 'ci', [said(type, { status, ...(then === undefined ? {} : { then }) })])
    expect((await explain(object, readerOf(), { now })).waits.length > 0).toBe(isWait)
  })

  test('who holds a deletion, a change that nobody has looked at, and silence', async () => {
    const deleting = thing('Claim', 'ci', [], { deletionTimestamp: '2026-01-01T14:14:00Z', finalizers: ['a.dev/x'] })
    expect(await explain(deleting, readerOf(), { now })).toMatchObject({
      state: 'deleting',
      deletion: { since: '2026-01-01T14:14:00Z', heldBy: ['a.dev/x'] },
    })
    const changed = thing('Claim', 'ci', [said('Ready', { status: 'True', observedGeneration: 3 })], { generation: 4 })
    expect(await explain(changed, readerOf(), { now })).toMatchObject({ state: 'settled', unseenChange: { generation: 4, seen: 3 } })
    expect(await explain(thing('Claim', 'ci'), readerOf(), { now })).toMatchObject({ state: 'silent', waits: [] })
  })
})

describe('what has to do with it', () => {
  const pool = thing('Pool', 'big', [
    said('CapacityAvailable', { reason: 'Exhausted', message: 'all names are in use', then: 'a freed name is used' }),
  ])
  const clusters = [1, 2].map(n =>
    thing('Cluster', `big-${n}`, [said('Ready', { status: n === 1 ? 'True' : 'False', message: 'installing' })], ownedBy(pool)),
  )
  const claim = thing('Claim', 'ci', [said('Pending', queued)])

  test('objects that a wait names are followed, and on to their dependents', async () => {
    const { related } = await explain(claim, readerOf(pool, claim, ...clusters), { now })
    expect(related).toMatchObject([{ relation: 'named', object: { kind: 'Pool', name: 'big' }, explanation: { state: 'waiting' } }])
    expect(related[0]?.explanation?.related.map(({ object }) => object.name)).toEqual(['big-2', 'big-1'])
  })

  test('an object that is named but does not exist is said not to; what is not a kind is not an object', async () => {
    const lost = thing('Claim', 'ci', [said('Pending', { ...queued, message: 'HTTP/1.1 says that Pool/team-b/gone is full', unblock: '' })])
    expect((await explain(lost, readerOf(), { now })).related).toEqual([
      { relation: 'named', object: { kind: 'Pool', namespace: 'team-b', name: 'gone' }, explanation: undefined },
    ])
  })

  test('what has no namespace is not said to be in one, whether it is named or an owner, and ends with its name', async () => {
    const rack = thing('Rack', 'r1')
    const waits = said('Pending', { ...queued, message: 'Rack/r1 and Rack/r2/slot are full', unblock: '' })
    const { related } = await explain(thing('Claim', 'ci', [waits], ownedBy(rack)), readerOf(), { now })
    expect(related.map(({ relation, object: { namespace, name } }) => [relation, namespace, name])).toEqual([
      ['named', undefined, 'r1'],
      ['named', undefined, 'r2'],
      ['owner', undefined, 'r1'],
    ])
    const nowhere = thing('Rack', 'r1', [said('Ready', { message: 'waits for Pool/big' })], { namespace: undefined })
    expect((await explain(nowhere, readerOf(), { now })).related).toEqual([])
  })

  test('an owner of another group that only has the same name is not said to be missing', async () => {
    const world = await makeWorld()
    const reference = { apiVersion: 'elsewhere.example.com/v1', kind: 'Nest', name: 'other', uid: 'u' }
    const egg = await world.store.create(ConfigMap, { metadata: { namespace: 'default', name: 'egg', ownerReferences: [reference] } })
    expect((await explain(egg, storeReader(world.store, allKinds), { now })).related).toEqual([])
  })

  test('owners are told of; one that has another uid does not exist', async () => {
    const { related } = await explain(clusters[0]!, readerOf(pool, ...clusters), { now })
    expect(related).toMatchObject([{ relation: 'owner', object: { name: 'big' }, explanation: { state: 'waiting', related: [] } }])
    const other = { ...pool, metadata: { ...pool.metadata, uid: 'new' } }
    expect((await explain(clusters[0]!, readerOf(other), { now })).related[0]?.explanation).toBeUndefined()
  })

  test('circles end, and crowds are counted', async () => {
    const a = thing('Pool', 'a', [said('Ready', { message: 'waits for Pool/b', then: 'x' })])
    const b = thing('Pool', 'b', [said('Ready', { message: 'waits for Pool/a', then: 'x' })])
    expect((await explain(a, readerOf(a, b), { now, depth: 9 })).related[0]?.explanation?.related).toEqual([])
    const crowd = Array.from({ length: 25 }, (_, n) =>
      thing('Cluster', `c${n}`, [said('Ready', { status: n === 20 ? 'False' : 'True' })], ownedBy(pool)),
    )
    const told = await explain(pool, readerOf(pool, ...crowd), { now })
    expect(told.omitted).toBe(15)
    expect(told.related[0]?.object.name).toBe('c20')
  })
})

describe('as a text', () => {
  const pool = thing('Pool', 'big', [
    said('CapacityAvailable', { reason: 'Exhausted', message: 'all 12 names of the inventory are in use', then: 'a freed name is used' }),
  ])
  const claim = thing('Claim', 'ci', [said('Pending', queued), said('Known', { status: 'True', reason: 'Seen' })], ownedBy(pool))

  test('it is read in ten seconds', async () => {
    const told = await explain(claim, readerOf(pool, claim), { now })
    expect(explainText(told, { now })).toBe(
      [
        'Claim team-a/ci is waiting (made 12m ago)',
        '',
        'Pending is True: NoClusters',
        '  position 3 of 5 in the queue of Pool/big; 2 clusters are installing',
        '  since    2026-01-01 14:00:00Z (15m ago)',
        '  until    2026-01-01 14:40:00Z (in 25m)',
        '  then     the oldest waiting claim gets the first ready cluster',
        '  unblock  raise spec.size of Pool/big above 4',
        '',
        'well: Known (Seen)',
        '',
        'Pool team-a/big is waiting (made 12m ago)',
        '  CapacityAvailable is False: Exhausted',
        '    all 12 names of the inventory are in use',
        '    since    2026-01-01 14:00:00Z (15m ago)',
        '    then     a freed name is used',
        '',
      ].join('\n'),
    )
  })

  test('it fits the width, whatever the texts, and commands no terminal', async () => {
    const message = `\u001B[31mthe back end said:\n${'word '.repeat(60)}${'x'.repeat(300)}`
    const object = thing('Claim', 'ci', [said('Ready', { message, then: message, unblock: message })])
    for (const width of [80, 40, 20]) {
      const text = explainText(await explain(object, readerOf(), { now }), { now, width })
      expect(Math.max(...text.split('\n').map(line => line.length))).toBeLessThanOrEqual(width)
      expect(text).not.toMatch(/[^\P{Cc}\n]/u)
    }
  })

  test('a namespace that goes is held by what its spec says', async () => {
    const metadata = { namespace: undefined, deletionTimestamp: '2026-01-01T14:14:00Z' }
    const going = { ...thing('Namespace', 'old', [], metadata), spec: { finalizers: ['kubernetes'] } } as Resource
    expect(explainText(await explain(going, readerOf(), { now }), { now })).toContain('\n  held by kubernetes\n')
  })

  test('deletions, crowds and what does not exist are told shortly', async () => {
    const crowd = Array.from({ length: 12 }, (_, n) => thing('Cluster', `c${n}`, [said('Ready', { status: 'True' })], ownedBy(pool)))
    const going = { ...pool, metadata: { ...pool.metadata, deletionTimestamp: '2026-01-01T14:14:00Z', finalizers: ['a.dev/x'] } }
    const text = explainText(await explain(going, readerOf(going, ...crowd), { now }), { now })
    expect(text).toContain('Pool team-a/big is being deleted (made 12m ago)\n\ndeletion asked for 60s ago\n  held by a.dev/x\n')
    expect(text).toContain('owns 12\n  Cluster team-a/c0 is settled\n')
    expect(text).toContain('  and 2 more\n')
    const orphaned = explainText(await explain(claim, readerOf(claim), { now }), { now })
    expect(orphaned).toContain('owned by\n  Pool team-a/big does not exist\n')
  })
})

describe('through a store', () => {
  test('a nest is explained from what its controller wrote', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    world.start(nestController)
    await world.clock.advance(20_000)
    const told = await explain(await world.nest('a'), storeReader(world.store, allKinds), { now: world.clock.now() })
    expect(told.waits).toMatchObject([{ condition: 'Ready', reason: 'Building', then: 'the eggs are brooded' }])
    expect(explainText(told, { now: world.clock.now() })).toContain('until    2026-01-01 00:01:00Z (in 40s)')
  })

  test('each kind is listed once, however many objects are looked into', async () => {
    let flaky: FlakyStore | undefined
    const world = await makeWorld({ wrap: store => (flaky = new FlakyStore(store)) })
    let owner: Resource = await world.createNest('a')
    for (let n = 0; n < 5; n++) {
      const reference = { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name, uid: owner.metadata.uid ?? '' }
      owner = await world.store.create(ConfigMap, { metadata: { namespace: 'default', name: `c${n}`, ownerReferences: [reference] } })
    }
    let lists = 0
    flaky!.before = operation => void (operation === 'list' && lists++)
    const told = await explain(await world.nest('a'), storeReader(flaky!, allKinds), { now, depth: 5 })
    expect(told.related[0]?.explanation?.related[0]?.explanation?.related[0]?.object.name).toBe('c2')
    expect(lists).toBe(allKinds.filter(kind => kind.scope === 'Namespaced' && kind !== Secret).length)
  })

  test('what is listed is no secret, and of what has no namespace nothing that is in one', async () => {
    const world = await makeWorld()
    const store = new FlakyStore(world.store)
    const listed: Kind[] = []
    store.before = (operation, kind) => void (operation === 'list' && listed.push(kind))
    await explain(await world.store.get(Namespace, { name: 'default' }), storeReader(store, allKinds), { now })
    expect(listed.length).toBeGreaterThan(0)
    expect(listed.filter(({ scope }) => scope === 'Namespaced')).toEqual([])
    await explain(await world.createNest('a'), storeReader(store, allKinds), { now })
    expect(listed).toContain(ConfigMap)
    expect(listed).not.toContain(Secret)
  })

  test('what we may not see, or the server does not have, is said to be unseen; what it hides is not said to be missing', async () => {
    const world = await makeWorld()
    const nest = await world.createNest('a')
    const reason = { reason: 'Closed', message: 'Namespace/default is not ready, nor is Nest/b', then: 'it goes on' }
    world.start(controller(Nest, { conditions: { Ready: 'True' }, steps: [() => wait('Ready', reason)] }))
    await world.settle()
    const store = new FlakyStore(world.store)
    store.before = (_, kind) => {
      if (kind === Namespace || kind === ConfigMap) throw new StoreError('Forbidden', `${kind.plural} is forbidden`)
      if (kind === ClusterPool) throw new KindNotServed(kind, 'not found')
    }
    const told = await explain(await world.nest('a'), storeReader(store, allKinds), { now })
    expect(told.related.map(({ object }) => object.kind)).toEqual(['Nest'])
    expect(told.unseen).toEqual(['clusterpools.hive.openshift.io', 'configmaps', 'namespaces'])
    expect(explainText(told, { now })).toMatch(/\n\ncould not look at: clusterpools\.hive\.openshift\.io, configmaps, namespaces\n$/)
    store.before = () => {
      throw new StoreError('ServiceUnavailable', 'away')
    }
    await expect(explain(nest, storeReader(store, allKinds), { now })).rejects.toThrow('away')
  })

  test('names and owners are found, kinds without namespaces too', async () => {
    const world = await makeWorld()
    const nest = await world.createNest('a')
    const reference = { apiVersion: nest.apiVersion, kind: nest.kind, name: 'a', uid: nest.metadata.uid ?? '' }
    await world.store.create(ConfigMap, { metadata: { namespace: 'default', name: 'egg', ownerReferences: [reference] } })
    const reason = { reason: 'Closed', message: 'Namespace/default and Nest/b are not ready', then: 'it goes on' }
    world.start(controller(Nest, { conditions: { Ready: 'True' }, steps: [() => wait('Ready', reason)] }))
    await world.settle()
    const { related } = await explain(await world.nest('a'), storeReader(world.store, allKinds), { now: world.clock.now() })
    expect(related.map(({ relation, object, explanation }) => [relation, object.kind, object.name, explanation?.state])).toEqual([
      ['named', 'Namespace', 'default', 'silent'],
      ['named', 'Nest', 'b', undefined],
      ['dependent', 'ConfigMap', 'egg', 'silent'],
    ])
  })
})
