import { expect, test } from 'vitest'
import { Nest } from '../kinds/index.ts'
import { VirtualClock } from '../ports/index.ts'
import { Stored } from '../store/index.ts'
import { EventWriters } from './watch-events.ts'

const view = { format: 'json', as: 'itself', version: 'v1', include: 'None', pretty: false } as const
const text = '{"kind":"Nest","metadata":{"name":"a"},"odd":  "spacing"}'

test('an event that many watch is written once, from the text that the store keeps', () => {
  const writers = new EventWriters(new VirtualClock())
  const event = { type: 'ADDED', item: Stored.fromJson<Nest>('1', text) } as const
  const [first, second] = [writers.writer(Nest, view), writers.writer(Nest, view)].map(writer => writer.event(event))
  expect(first).toBe(second)
  expect(Buffer.from(first!).toString()).toBe(`{"type":"ADDED","object":${text}}\n`)
})

test('the same object in events of other types is written anew', () => {
  const writer = new EventWriters(new VirtualClock()).writer(Nest, view)
  const item = Stored.fromJson<Nest>('1', text)
  expect(Buffer.from(writer.event({ type: 'DELETED', item })).toString()).toContain('"DELETED"')
  expect(Buffer.from(writer.event({ type: 'MODIFIED', item })).toString()).toContain('"MODIFIED"')
})
