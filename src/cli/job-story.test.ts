import { expect, test } from 'vitest'
import type { WorkerRow } from '../hatchery/index.ts'
import { workerText } from './job-story.ts'

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
