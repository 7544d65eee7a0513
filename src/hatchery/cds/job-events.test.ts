import { describe, expect, test } from 'vitest'
import { recordingLog, type WebSocketConnection } from '../../ports/index.ts'
import { CdsRefused } from './errors.ts'
import { jobEventsV1, jobEventsV2 } from './job-events.ts'

/** A connection over which these messages come. */
function saying(messages: readonly unknown[]): WebSocketConnection & { readonly sent: string[] } {
  const sent: string[] = []
  const texts = messages.map(each => (typeof each === 'string' ? each : JSON.stringify(each)))
  return {
    sent,
    messages: (async function* () {
      yield* texts
    })(),
    send: text => sent.push(text),
    close: () => {},
  }
}

async function all(ids: AsyncIterable<string>): Promise<string[]> {
  const result: string[] = []
  for await (const id of ids) result.push(id)
  return result
}

const event = (payload: unknown, more: object = {}) => ({
  status: 'OK',
  error: '',
  event: { type_event: 'sdk.EventRunWorkflowJob', status: 'Waiting', payload, ...more },
})

describe('events of V1', () => {
  test('are asked for by a filter for this sort of hatchery', async () => {
    const connection = saying([])
    await all(jobEventsV1(connection, recordingLog()))
    const [[filter]] = connection.sent.map(text => JSON.parse(text)) as [[Record<string, unknown>]]
    const { type, hatchery_type: hatcheryType, ...rest } = filter
    expect([connection.sent.length, type, hatcheryType]).toEqual([1, 'queue', 'vsphere'])
    expect(Object.values(rest).filter(value => value !== '' && value !== 0)).toEqual([])
  })

  test('tell of jobs that begin to wait; the others are passed over, and so is what makes no sense', async () => {
    const log = recordingLog()
    const connection = saying([
      event({ id: 1, status: 'Waiting', start: -62135596800 }),
      event({ id: 2 }, { status: 'Building' }),
      event({ id: 3 }, { type_event: 'sdk.EventRunWorkflowNode' }),
      event(null),
      'no JSON',
      '7',
      'null',
      {},
      '{"status":"OK","event":{"type_event":"sdk.EventRunWorkflowJob","status":"Waiting","payload":{"id":9007199254740993}}}',
    ])
    expect(await all(jobEventsV1(connection, log))).toEqual(['1', '9007199254740993'])
    expect(log.lines).toMatchObject([{ level: 'warn', message: 'CDS sent an event that is not JSON' }])
  })

  test('do not come if CDS refuses the filter', async () => {
    const refused = all(jobEventsV1(saying([{ status: 'KO', error: 'invalid filter' }]), recordingLog()))
    await expect(refused).rejects.toMatchObject({ code: CdsRefused.code, message: expect.stringContaining('invalid filter') })
  })
})

describe('events of V2', () => {
  test('tell of jobs without being asked', async () => {
    const connection = saying([{ job_run_id: 'a', region: 'north', model_type: 'vsphere' }, 'no JSON', [], {}, { job_run_id: 'b' }])
    expect(await all(jobEventsV2(connection, recordingLog()))).toEqual(['a', 'b'])
    expect(connection.sent).toEqual([])
  })
})
