import { expect, test } from 'vitest'
import { listed, scriptedConnection } from '../testing/scripted-connection.ts'
import { refusal } from '../testing/scripted-vcenter.ts'
import { carryOut, type Change } from './carry-out.ts'

const vm = { type: 'VirtualMachine', id: 'vm-1' }

/** The answer to the first call is lost while a task of whomever works on the VM. */
function lostAnswer() {
  const world = { state: 'running', isOn: false }
  const { connection, calls, clock } = scriptedConnection((method, body) => {
    if (method === 'PowerOnVM_Task') return { status: 502, body: '' }
    if (method !== 'RetrievePropertiesEx') return undefined
    const task = listed('Task', 'task-9', { 'info.state': world.state, 'info.entity': 'vm-1' })
    return `<returnval>${body.includes('recentTask') || body.includes('>task-9<') ? task : ''}</returnval>`
  })
  const change: Change<string> = {
    method: 'PowerOnVM_Task',
    on: vm,
    target: 'robin (vm-1)',
    timeout: 60_000,
    done: async () => 'done',
    look: async () => (world.isOn ? 'it is on' : undefined),
  }
  const stop = new AbortController()
  const outcome = carryOut(connection, change, stop.signal).catch((error: unknown) => error)
  return { world, calls, clock, stop, outcome, connection }
}

test('after a lost answer every task on the VM is awaited before anybody looks', async () => {
  const { world, calls, clock, outcome } = lostAnswer()
  await clock.advance(10_000)
  expect(calls.filter(call => call === 'PowerOnVM_Task')).toHaveLength(1)
  world.state = 'success'
  world.isOn = true
  await clock.advance(2_000)
  expect(await outcome).toBe('it is on')
  expect(calls.filter(call => call === 'PowerOnVM_Task')).toHaveLength(1)
})

test('a task that may be somebody else’s is neither cancelled when the caller gives up, nor called our own', async () => {
  const { calls, clock, stop, outcome, connection } = lostAnswer()
  await clock.advance(10_000)
  expect(connection.tasks.isOwn('task-9')).toBe(false)
  stop.abort(new Error('enough'))
  await clock.advance(20_000)
  expect(await outcome).toBe(stop.signal.reason)
  expect(calls).not.toContain('CancelTask')
})

test('a VM that another task holds is asked again soon, and then less and less often', async () => {
  const tries: number[] = []
  const { connection, clock } = scriptedConnection(method => {
    if (method !== 'PowerOnVM_Task') return undefined
    tries.push(clock.now())
    return refusal('TaskInProgress')
  })
  const change = { method: 'PowerOnVM_Task', on: vm, target: 'robin', timeout: 300_000, done: async () => 1, look: async () => undefined }
  const outcome = carryOut(connection, change, new AbortController().signal).catch((error: unknown) => error)
  await clock.advance(120_000)
  expect(await outcome).toMatchObject({ details: { fault: 'TaskInProgress' } })
  expect(tries[1]! - tries[0]!).toBe(200)
  expect(tries[2]! - tries[1]!).toBeGreaterThanOrEqual(500)
  expect(tries.length).toBeLessThan(40)
})
