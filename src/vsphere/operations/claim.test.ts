import { expect, test } from 'vitest'
import type { ClaimRequest } from '../../platform/index.ts'
import { aVm } from '../../platform/testing/a-vm.ts'
import { listed, scriptedConnection } from '../testing/scripted-connection.ts'
import { refusal } from '../testing/scripted-vcenter.ts'
import { claimVm } from './claim.ts'

const ready = {
  name: 'ready',
  'config.annotation': 'ours',
  'runtime.powerState': 'poweredOff',
  'config.changeVersion': '1',
  'config.template': 'false',
}
const claimed = { ...ready, name: 'worker', 'config.annotation': 'claimed', 'config.changeVersion': '2' }

/** What comes of a claim of a VM that the inventory shows as ready. `world.vm` is what vCenter has; `reconfigure` what it answers. */
async function claim(
  world: { vm: Readonly<Record<string, string>> },
  reconfigure: (attempt: number) => ReturnType<typeof refusal> | undefined,
  more: Partial<ClaimRequest> = {},
) {
  const sent: string[] = []
  const { connection, clock } = scriptedConnection((method, body) => {
    if (method === 'ReconfigVM_Task') {
      sent.push(body)
      return reconfigure(sent.length) ?? '<returnval type="Task">task-1</returnval>'
    }
    if (method !== 'RetrievePropertiesEx') return undefined
    if (body.includes('recentTask')) return '<returnval></returnval>'
    const isTask = body.includes('>task-1<')
    return `<returnval>${isTask ? listed('Task', 'task-1', { 'info.state': 'success' }) : listed('VirtualMachine', 'vm-1', world.vm)}</returnval>`
  })
  connection.inventory.replace([aVm({ id: 'vm-1', name: 'ready', annotation: 'ours' })])
  const request = { id: 'vm-1', expectedName: 'ready', name: 'worker', annotation: 'claimed', ...more }
  const outcome = claimVm(connection, request, new AbortController().signal, 300_000).then(
    vm => vm.name,
    (error: unknown) => (error as Error).message,
  )
  await clock.advance(60_000)
  return { outcome: await outcome, sent }
}

test('a claim whose first call was late, not lost, is not lost to itself', async () => {
  const world = { vm: ready }
  const { outcome, sent } = await claim(world, attempt => {
    if (attempt === 1) return { status: 502, body: '' }
    world.vm = claimed
    return refusal('ConcurrentAccess')
  })
  expect([outcome, sent.length]).toEqual(['worker', 2])
})

test('a VM that others changed, but did not take, is claimed all the same', async () => {
  const world = { vm: ready }
  const { outcome, sent } = await claim(world, attempt => {
    if (attempt > 1) return undefined
    world.vm = { ...ready, 'config.changeVersion': '7' }
    return refusal('ConcurrentAccess')
  })
  expect(outcome).toBe('worker')
  expect(sent.map(body => /<changeVersion>(.*?)</.exec(body)?.[1])).toEqual(['1', '7'])
})

test('a VM that others change each time is left to them', async () => {
  const { outcome, sent } = await claim({ vm: ready }, () => refusal('ConcurrentAccess'))
  expect([outcome, sent.length]).toEqual([expect.stringContaining('others keep changing it'), 3])
})

test('a VM into which somebody wrote what the watch has not brought yet is not claimed', async () => {
  const { outcome, sent } = await claim({ vm: { ...ready, 'config.annotation': 'taken by an operator' } }, () => undefined)
  expect([outcome, sent]).toEqual([expect.stringContaining('its annotation was changed'), []])
})

test('a VM with more than one core in a socket gets as many in each as fill all sockets', async () => {
  const vm = { ...ready, 'config.hardware.numCoresPerSocket': '4' }
  const cores = async (cpus?: number) => {
    const { sent } = await claim({ vm }, () => undefined, { ...(cpus !== undefined && { cpus }) })
    return /<numCoresPerSocket>(.*?)</.exec(sent[0]!)?.[1]
  }
  expect([await cores(6), await cores(8), await cores()]).toEqual(['2', undefined, undefined])
})
