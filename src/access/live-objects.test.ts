import { expect, test } from 'vitest'
import { realChance, recordingLog, VirtualClock } from '../ports/index.ts'
import { AccessGrant } from '../kinds/index.ts'
import { Stored, StoreError } from '../store/index.ts'
import type { Store, WatchEvent, WatchOptions } from '../store/index.ts'
import { liveObjects } from './live-objects.ts'

function grant(name: string, resourceVersion: string): AccessGrant {
  return {
    apiVersion: AccessGrant.apiVersion,
    kind: 'AccessGrant',
    metadata: { name, resourceVersion },
    spec: { subjects: [{ kind: 'User', name: 'ann' }], role: 'view', namespaces: ['*'] },
  }
}

type Event = WatchEvent<AccessGrant>
const added = (name: string, revision: string): Event => ({ type: 'ADDED', item: Stored.fromObject(grant(name, revision)) })
const deleted = (name: string, revision: string): Event => ({ type: 'DELETED', item: Stored.fromObject(grant(name, revision)) })
const complete = (resourceVersion: string): Event => ({ type: 'BOOKMARK', resourceVersion, initialEventsEnd: true })
const bookmark = (resourceVersion: string): Event => ({ type: 'BOOKMARK', resourceVersion, initialEventsEnd: false })

/** A store whose watches play one script after the other: batches, then an error or a quiet end; after the last it stays silent. */
function scripted(...scripts: readonly (readonly (readonly Event[] | Error)[])[]) {
  const asked: Omit<WatchOptions, 'signal' | 'bookmarks'>[] = []
  const watch = async function* (_: unknown, { signal, bookmarks: _bookmarks, ...options }: WatchOptions) {
    const script = scripts[asked.length]
    asked.push(options)
    for (const step of script ?? []) {
      if (step instanceof Error) throw step
      yield step
    }
    if (asked.length >= scripts.length) await new Promise(resolve => signal.addEventListener('abort', resolve))
  }
  return { asked, store: { watch } as unknown as Store }
}

async function follow(store: Store) {
  const clock = new VirtualClock({ start: 0 })
  const seen: string[][] = []
  const ending = new AbortController()
  const log = recordingLog()
  const ready = liveObjects({
    store,
    kind: AccessGrant,
    clock,
    chance: realChance(),
    log,
    signal: ending.signal,
    onChange: objects => seen.push([...objects.keys()].toSorted()),
  })
  return { clock, seen, ending, ready, log }
}

test('objects are complete before anybody sees them, and follow each change', async () => {
  const { store } = scripted([[added('a', '5')], [added('b', '3'), complete('6')], [added('c', '7')], [deleted('a', '8')]])
  const { seen, ready, clock } = await follow(store)
  await ready
  await clock.advance(10)
  expect(seen).toEqual([
    ['a', 'b'],
    ['a', 'b', 'c'],
    ['b', 'c'],
  ])
})

test('a watch that ends goes on from the last revision it told of', async () => {
  const { store, asked } = scripted([[added('a', '5'), complete('6')], [added('b', '7')]], [[bookmark('20')]], [[added('c', '21')]])
  const { seen, ready, clock } = await follow(store)
  await ready
  await clock.advance(60_000)
  expect(asked).toEqual([{ initialEvents: true }, { resourceVersion: '7' }, { resourceVersion: '20' }])
  expect(seen.at(-1)).toEqual(['a', 'b', 'c'])
})

test('a watch that expired starts over, what is gone disappears, and nobody sees an empty house in between', async () => {
  const expired = new StoreError('Expired', 'too old')
  const { store, asked } = scripted([[added('a', '5'), added('b', '5'), complete('6')], expired], [[added('b', '5')], [complete('9')]])
  const { seen, ready, clock } = await follow(store)
  await ready
  await clock.advance(60_000)
  expect(asked).toEqual([{ initialEvents: true }, { initialEvents: true }])
  expect(seen).toEqual([['a', 'b'], ['b']])
})

test('a watch that breaks amid its first events after a restart starts over', async () => {
  const expired = new StoreError('Expired', 'too old')
  const broken = new StoreError('ServiceUnavailable', 'gone')
  const { store, asked } = scripted(
    [[added('a', '5'), complete('6')], expired],
    [[added('a', '5')], broken],
    [[added('a', '5'), complete('9')]],
  )
  const { seen, ready, clock, log } = await follow(store)
  await ready
  await clock.advance(60_000)
  expect(asked).toHaveLength(3)
  expect(seen).toEqual([['a'], ['a']])
  expect(log.lines.map(line => line.message)).toEqual(['watch broke, trying again'])
})

test('a store that cannot be read at first is reported to whoever starts', async () => {
  const { store } = scripted([new StoreError('InternalError', 'broken')])
  const { ready } = await follow(store)
  await expect(ready).rejects.toThrow('broken')
})
