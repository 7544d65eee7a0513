import { expect, test } from 'vitest'
import type { WorkerRow } from '../hatchery/index.ts'
import { allKinds, Spawn } from '../kinds/index.ts'
import { seededChance, VirtualClock } from '../ports/index.ts'
import { memoryStore } from '../store/index.ts'
import type { Connection } from './connection.ts'
import { jobStory, ownerText, workerText } from './job-story.ts'

const worker = (more: Partial<WorkerRow> = {}): WorkerRow => ({
  name: 'brisk-robin',
  status: 'Building',
  job: '7',
  model: 'debian',
  flavor: '',
  cpus: 2,
  memoryMB: 4096,
  address: '10.0.0.3',
  power: 'on',
  started: '2026-11-16T22:14:15Z',
  ...more,
})

test('a job whose worker is at work waits for nothing', () => {
  const text = 'Job 7 waits for nothing here: worker brisk-robin at 10.0.0.3 has it (Building, since 2026-11-16 22:14:15Z).\n'
  expect(workerText(worker())).toBe(text)
})

test('a worker that CDS does not know yet is not said to be at work, and it is said where to look', () => {
  const text = workerText(worker({ status: 'Pending' }))
  expect(text).toContain('Worker brisk-robin at 10.0.0.3 was started for job 7, and CDS does not know it yet (Pending')
  expect(text).toContain('/tmp/worker.log')
  expect(text).not.toContain('waits for nothing')
})

test('a worker of which nobody knows the job is told of by its name', () => {
  expect(workerText(worker({ job: '', address: '', started: '' }))).toMatch(/^Worker brisk-robin waits for nothing here.*\(Building\)\.\n$/)
})

test('a job for which several hatcheries keep records in one store is told of by each, with its name', async () => {
  const store = memoryStore({ kinds: allKinds, clock: new VirtualClock(), chance: seededChance(1) })
  const spec = { purpose: 'Job' as const, version: 1, job: '7' }
  await store.create(Spawn, { metadata: { name: 'job-7' }, spec: { ...spec, hatchery: 'hv2' } })
  await store.create(Spawn, { metadata: { name: 'job-7.hv1' }, spec: { ...spec, hatchery: 'hv1' } })
  await store.create(Spawn, { metadata: { name: 'job-77' }, spec: { ...spec, job: '77', hatchery: 'hv1' } })
  const owners = async (id: string) => {
    const story = await jobStory(id, { store } as Connection, new AbortController().signal)
    return 'spawns' in story ? story.spawns.map(spawn => ownerText(spawn, story.spawns)) : []
  }
  expect(await owners('7')).toEqual(['Hatchery hv1:\n', 'Hatchery hv2:\n'])
  expect(await owners('77')).toEqual([''])
})
