import { expect, test } from 'vitest'
import { QuestionPending } from '../../platform/index.ts'
import { aVm } from '../../platform/testing/a-vm.ts'
import { DeadlineExceeded } from '../../ports/index.ts'
import { listed, scriptedConnection } from '../testing/scripted-connection.ts'
import { refusal } from '../testing/scripted-vcenter.ts'
import { setPower, shutDownGuest } from './power.ts'

/** What becomes of a VM that is switched on by a task which never ends. */
async function endless(properties: Readonly<Record<string, string>>): Promise<unknown> {
  const { connection, clock, calls } = scriptedConnection((method, body) => {
    if (method === 'PowerOnVM_Task') return '<returnval type="Task">task-1</returnval>'
    if (method !== 'RetrievePropertiesEx') return undefined
    const found = body.includes('>task-1<')
      ? listed('Task', 'task-1', { 'info.state': 'running' })
      : listed('VirtualMachine', 'vm-1', properties)
    return `<returnval>${found}</returnval>`
  })
  connection.inventory.replace([aVm({ id: 'vm-1', name: 'robin' })])
  const outcome = setPower(connection, 'vm-1', 'on', new AbortController().signal, 60_000).catch((error: unknown) => error)
  await clock.advance(90_000)
  expect(calls).toContain('CancelTask')
  return outcome
}

test('a VM about which vCenter asks a question is not just late: the question is told', async () => {
  const error = await endless({ 'runtime.question': '<val><id>1</id><text>msg.disk.full: no space is left</text></val>' })
  expect(QuestionPending.is(error) && error.message).toContain('no space is left')
})

test('a VM that is late for no reason that is known is late', async () => {
  expect(DeadlineExceeded.is(await endless({}))).toBe(true)
})

/** What becomes of a request to shut down whose first answer is lost, and whose second is that the tools are gone. */
async function askedTwice(guestReady: boolean): Promise<unknown> {
  const { connection, clock, calls } = scriptedConnection(method => {
    if (method === 'RetrievePropertiesEx')
      return `<returnval>${listed('VirtualMachine', 'vm-1', { 'runtime.powerState': 'poweredOn' })}</returnval>`
    if (method !== 'ShutdownGuest') return undefined
    return calls.filter(call => call === method).length === 1 ? { status: 502, body: '' } : refusal('ToolsUnavailable')
  })
  connection.inventory.replace([aVm({ id: 'vm-1', power: 'on', guestReady })])
  const outcome = shutDownGuest(connection, 'vm-1', new AbortController().signal).catch((error: unknown) => error)
  await clock.advance(10_000)
  return outcome
}

test('a guest whose tools are gone after a lost answer is on its way down, if they were there before', async () => {
  expect(await askedTwice(true)).toBeUndefined()
  expect(await askedTwice(false)).toMatchObject({ details: { fault: 'ToolsUnavailable' } })
})
