import { expect, test } from 'vitest'
import { VirtualClock } from '../../ports/index.ts'
import { Governor } from './governor.ts'
import { operationRows } from './operation-row.ts'

test('what goes on is shown with its VM, and what is held back with its place, its reason and when it gives up', async () => {
  const clock = new VirtualClock({ start: Date.UTC(2026, 10, 16) })
  const governor = new Governor({ platform: 'vCenter vc', clock, limits: { perHost: 4, longestWait: 600_000 } })
  const run = (operation: string, target: string, weight: number) =>
    void governor.run(
      { owner: 'hatchery', operation, target, host: 'host-1', weight },
      () => clock.sleep(60_000),
      new AbortController().signal,
    )
  run('clone', 'worker-1', 4)
  await clock.advance(5_000)
  run('powerOn', 'vm-7', 1)
  expect(operationRows(governor, id => (id === 'vm-7' ? 'worker-7' : undefined))).toEqual([
    {
      platform: 'vCenter vc',
      state: 'Running',
      position: 0,
      operation: 'clone',
      vm: 'worker-1',
      owner: 'hatchery',
      host: 'host-1',
      weight: 4,
      since: '2026-11-16T00:00:00Z',
      until: '',
      reason: '',
      message: '',
    },
    {
      platform: 'vCenter vc',
      state: 'Waiting',
      position: 1,
      operation: 'powerOn',
      vm: 'worker-7 (vm-7)',
      owner: 'hatchery',
      host: 'host-1',
      weight: 1,
      since: '2026-11-16T00:00:05Z',
      until: '2026-11-16T00:10:05Z',
      reason: 'HostBusy',
      message: 'host host-1 does 4 of 4 already, this takes 1',
    },
  ])
  await clock.advance(600_000)
  expect(operationRows(governor, () => undefined)).toEqual([])
})
