import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readNote } from '../../platform/index.ts'
import { readWorkerNote, type WorkerNote, workerNote, writeWorkerNote } from './worker-note.ts'

const created = 1_770_000_000_000
const started = 1_770_000_300_125
const zero = '0001-01-01T00:00:00Z'

const read = (annotation: string) => readWorkerNote({ note: readNote(annotation) })

describe('what is written is what the original writes, with the flavor', () => {
  const cases: { what: string; note: Partial<WorkerNote>; annotation: string }[] = [
    {
      what: 'a VM that stands ready for V2 models',
      note: {
        hatcheryName: 'hv1',
        workerName: 'provision-v2-a',
        provisioning: true,
        vmwareModelPath: 'debian12',
        created,
        ipAddress: '10.0.0.5',
      },
      annotation: `{"hatchery_name":"hv1","worker_name":"provision-v2-a","provisioning":true,"vmware_model_path":"debian12","created":"2026-02-02T02:40:00Z","worker_start_time":"${zero}","ip_address":"10.0.0.5"}`,
    },
    {
      what: 'one with a pinned flavor',
      note: {
        hatcheryName: 'hv1',
        workerName: 'provision-v2-b',
        provisioning: true,
        vmwareModelPath: 'debian12',
        created,
        flavor: 'large',
      },
      annotation: `{"hatchery_name":"hv1","worker_name":"provision-v2-b","provisioning":true,"vmware_model_path":"debian12","created":"2026-02-02T02:40:00Z","worker_start_time":"${zero}","flavor":"large"}`,
    },
    {
      what: 'one that stands ready for a V1 model',
      note: {
        hatcheryName: 'hv1',
        workerName: 'provision-v1-a',
        provisioning: true,
        workerModelPath: 'shared.infra/debian',
        workerModelLastModified: '1600000000',
        created,
      },
      annotation: `{"hatchery_name":"hv1","worker_name":"provision-v1-a","provisioning":true,"worker_model_path":"shared.infra/debian","worker_model_last_modified":"1600000000","created":"2026-02-02T02:40:00Z","worker_start_time":"${zero}"}`,
    },
    {
      what: 'a worker',
      note: {
        hatcheryName: 'hv1',
        workerName: 'brave-curie',
        vmwareModelPath: 'debian12',
        created,
        workerStartTime: started,
        jobId: '42',
        ipAddress: '10.0.0.6',
      },
      annotation:
        '{"hatchery_name":"hv1","worker_name":"brave-curie","vmware_model_path":"debian12","created":"2026-02-02T02:40:00Z","worker_start_time":"2026-02-02T02:45:00.125Z","job_id":"42","ip_address":"10.0.0.6"}',
    },
    {
      what: 'a worker that registers a model',
      note: {
        hatcheryName: 'hv1',
        workerName: 'register-curie',
        registerOnly: true,
        workerModelPath: 'g/m',
        vmwareModelPath: 'm',
        created,
      },
      annotation: `{"hatchery_name":"hv1","worker_name":"register-curie","register_only":true,"worker_model_path":"g/m","vmware_model_path":"m","created":"2026-02-02T02:40:00Z","worker_start_time":"${zero}"}`,
    },
    {
      what: 'a template of a model',
      note: { hatcheryName: 'hv1', workerModelPath: 'g/m', workerModelLastModified: '1600000000', model: true, created },
      annotation: `{"hatchery_name":"hv1","worker_model_path":"g/m","worker_model_last_modified":"1600000000","model":true,"created":"2026-02-02T02:40:00Z","worker_start_time":"${zero}"}`,
    },
    { what: 'nothing but the two times', note: {}, annotation: `{"created":"${zero}","worker_start_time":"${zero}"}` },
  ]
  test.each(cases)('$what', ({ note, annotation }) => {
    expect(writeWorkerNote(workerNote(note))).toBe(annotation)
    expect(read(annotation)).toEqual(workerNote(note))
  })
})

describe('annotations of other hatcheries are read as the original reads them', () => {
  test('one of a hatchery that knew neither start time nor flavor', () => {
    const annotation =
      '{"hatchery_name":"old","worker_name":"w","created":"2026-02-02T03:40:00.123456789+01:00","job_id":"7","ip_address":"10.0.0.9"}'
    expect(read(annotation)).toEqual(
      workerNote({ hatcheryName: 'old', workerName: 'w', created: created + 123, jobId: '7', ipAddress: '10.0.0.9' }),
    )
  })

  test('keys in any case, unknown keys and null are no obstacle', () => {
    const annotation = '{"Hatchery_Name":"hv1","job_id":null,"created":null,"provisioning":null,"team":{"cost":7}}'
    expect(read(annotation)).toEqual(workerNote({ hatcheryName: 'hv1' }))
  })

  test.each([
    ['a job as a number', '{"hatchery_name":"hv1","job_id":42}'],
    ['a flag as text', '{"hatchery_name":"hv1","model":"true"}'],
    ['a name that is none', '{"hatchery_name":["hv1"]}'],
    ['a time that is none', '{"hatchery_name":"hv1","created":"yesterday"}'],
    ['a time as a number', '{"hatchery_name":"hv1","worker_start_time":1770000000}'],
    ['free text', 'built by the platform team'],
    ['nothing', ''],
    ['half of a note', '{"hatchery_name":"hv1"'],
    ['a list', '["hv1"]'],
  ])('%s makes it none of a hatchery’s', (_, annotation) => {
    expect(read(annotation)).toBeUndefined()
  })
})

describe('rewriting an annotation', () => {
  test('keeps what others wrote into it', () => {
    const note = readNote('{"team":"blue","hatchery_name":"hv1","worker_name":"provision-v2-a","provisioning":true,"cost":{"centre":7}}')
    const written = writeWorkerNote(workerNote({ hatcheryName: 'hv1', workerName: 'w' }), { note })
    expect(JSON.parse(written)).toEqual({
      hatchery_name: 'hv1',
      worker_name: 'w',
      created: zero,
      worker_start_time: zero,
      team: 'blue',
      cost: { centre: 7 },
    })
  })

  test('leaves no other spelling of a key behind that would contradict it', () => {
    const note = readNote('{"HATCHERY_NAME":"hv2","Job_ID":"1"}')
    const written = writeWorkerNote(workerNote({ hatcheryName: 'hv1' }), { note })
    expect(read(written)).toEqual(workerNote({ hatcheryName: 'hv1' }))
  })
})

const time = fc.option(fc.integer({ min: 0, max: 4_000_000_000_000 }), { nil: undefined })
const anyNote: fc.Arbitrary<WorkerNote> = fc.record({
  hatcheryName: fc.string(),
  workerName: fc.string(),
  registerOnly: fc.boolean(),
  provisioning: fc.boolean(),
  workerModelPath: fc.string({ unit: 'binary' }),
  vmwareModelPath: fc.string(),
  workerModelLastModified: fc.string(),
  model: fc.boolean(),
  created: time,
  workerStartTime: time,
  jobId: fc.string(),
  ipAddress: fc.string(),
  flavor: fc.string({ unit: 'grapheme' }),
})

const foreign = fc.dictionary(
  fc.string({ minLength: 1 }).map(key => `x-${key}`),
  fc.jsonValue(),
)

test('whatever a note says, it is read as it was written, and the keys of others stay', () => {
  fc.assert(
    fc.property(anyNote, foreign, (note, others) => {
      const written = writeWorkerNote(note, { note: readNote(JSON.stringify(others)) })
      expect(read(written)).toEqual(note)
      const again = JSON.parse(writeWorkerNote(workerNote({}), { note: readNote(written) })) as object
      expect(again).toEqual({ ...(JSON.parse(JSON.stringify(others)) as object), created: zero, worker_start_time: zero })
    }),
  )
})

test('no annotation makes reading fail', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), annotation => {
      read(annotation)
    }),
  )
})
