import { expect, test } from 'vitest'
import { silentLog, Unreachable, VirtualClock } from '../ports/index.ts'
import type { Cds } from './cds/cds.ts'
import { CdsRefused } from './cds/errors.ts'
import { Heartbeats } from './heartbeats.ts'
import { ScriptedCds } from './testing/scripted-cds.ts'

const refused = CdsRefused({ call: 'POST /services/heartbeat', status: 403, id: 11, why: 'forbidden' })
const away = Unreachable({ target: 'cds', why: 'gone', sent: false })

/** Beats for so many minutes; answers tell what becomes of each. */
async function beat(minutes: number, answers: { readonly v1?: Error; readonly v2?: Error }) {
  const clock = new VirtualClock()
  const scripted = new ScriptedCds()
  const beats = { v1: 0, v2: 0 }
  const side = (name: 'v1' | 'v2') => async () => {
    beats[name]++
    if (answers[name] !== undefined) throw answers[name]
  }
  const cds: Cds = {
    v1: { ...scripted.v1, heartbeat: side('v1') },
    v2: { ...scripted.v2, heartbeat: side('v2') },
    workerToken: () => scripted.workerToken(),
  }
  const rejected: string[] = []
  const onRejected = (why: string) => rejected.push(why)
  const heartbeats = new Heartbeats({ cds, lines: async () => [], maxFailures: 3, clock, log: silentLog, onRejected })
  heartbeats.start()
  await clock.advance(minutes * 60_000)
  await heartbeats.stop()
  return { beats, rejected }
}

test('beats come at once and every 30 seconds, on both sides', async () => {
  expect(await beat(2, {})).toEqual({ beats: { v1: 5, v2: 5 }, rejected: [] })
})

test('a refused beat ends the hatchery at once', async () => {
  const { rejected } = await beat(0.1, { v1: refused })
  expect(rejected).toEqual([expect.stringContaining('CDS refuses its heartbeat')])
})

test('too many beats in a row that do not arrive end it', async () => {
  expect((await beat(1, { v1: away })).rejected).toEqual([])
  expect((await beat(1.6, { v1: away })).rejected).toEqual([expect.stringContaining('4 heartbeats in a row did not arrive')])
})

test('V2 does not mind', async () => {
  const { beats, rejected } = await beat(5, { v2: refused })
  expect([beats.v2, rejected]).toEqual([11, []])
})
