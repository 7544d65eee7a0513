import { expect, test } from 'vitest'
import { Secret, silentLog, VirtualClock } from '../../ports/index.ts'
import { Session } from '../soap/session.ts'
import { SoapClient } from '../soap/soap-client.ts'
import { preliminaries, refusal, scriptedVcenter } from '../testing/scripted-vcenter.ts'
import { TaskBook } from './task-book.ts'

const property = (name: string, value: string) => `<propSet><name>${name}</name><val>${value}</val></propSet>`
const task = (id: string, target: string, progress: string) =>
  `<objects><obj type="Task">${id}</obj>${property('info.state', 'running')}${progress}` +
  `${property('info.descriptionId', 'VirtualMachine.clone')}${property('info.entityName', target)}` +
  `${property('info.queueTime', '2026-11-16T00:00:00Z')}</objects>`

/** The tasks of a vCenter that answers as the script says. */
function bookOn(clock: VirtualClock, script: Parameters<typeof scriptedVcenter>[1]) {
  const { http, calls } = scriptedVcenter(clock, script)
  const soap = new SoapClient('https://vcenter/sdk', http)
  const session = new Session({ soap, name: 'vCenter', user: 'ann', password: new Secret('x'), clock, log: silentLog })
  return { calls, tasks: new TaskBook(session, clock, silentLog) }
}

/** The tasks of a vCenter that runs two, one of which is ours. */
function book() {
  const clock = new VirtualClock({ start: Date.UTC(2026, 10, 16, 0, 1) })
  const recent = task('task-1', 'debian', property('info.progress', '42')) + task('task-2', 'somebody’s', '')
  const script = (method: string) =>
    method === 'RetrievePropertiesEx' ? `<returnval>${recent}</returnval>` : (preliminaries[method] ?? '')
  return { clock, ...bookOn(clock, script) }
}

test('own tasks are shown with what they are for, those of others as vCenter has them, each once, and how far they are', async () => {
  const { clock, tasks } = book()
  const stop = new AbortController()
  const ended = tasks.end({ type: 'Task', id: 'task-1' }, { operation: 'CloneVM_Task', target: 'worker-1' }, stop.signal).catch(() => {})
  expect(tasks.list()).toEqual([
    {
      id: 'task-1',
      operation: 'CloneVM_Task',
      target: 'worker-1',
      state: 'queued',
      progress: undefined,
      since: clock.now(),
      problem: undefined,
    },
  ])
  const since = clock.now()
  await clock.advance(100)
  expect(tasks.list()).toEqual([
    { id: 'task-1', operation: 'CloneVM_Task', target: 'worker-1', state: 'running', progress: 42, since, problem: undefined },
    {
      id: 'task-2',
      operation: 'VirtualMachine.clone',
      target: 'somebody’s',
      state: 'running',
      progress: undefined,
      since: Date.UTC(2026, 10, 16),
      problem: undefined,
    },
  ])
  stop.abort(new Error('enough'))
  await clock.advance(60_000)
  await ended
})

test('what others run is read when somebody looks, and not again for a while', async () => {
  const { clock, calls, tasks } = book()
  const listings = () => calls.filter(call => call === 'RetrievePropertiesEx').length
  for (let look = 0; look < 10; look++) {
    tasks.list()
    await clock.advance(400)
  }
  expect(listings()).toBe(1)
  await clock.advance(60_000)
  expect(listings()).toBe(1)
  tasks.list()
  await clock.advance(100)
  expect(listings()).toBe(2)
})

test('a task that cannot be cancelled is awaited for a while when the caller gives up', async () => {
  const clock = new VirtualClock()
  let state = 'running'
  const { tasks } = bookOn(clock, method => {
    if (method === 'CancelTask') return refusal('NotSupported')
    if (method !== 'RetrievePropertiesEx') return preliminaries[method] ?? ''
    return `<returnval><objects><obj type="Task">task-1</obj>${property('info.state', state)}</objects></returnval>`
  })
  const stop = new AbortController()
  let isOver = false
  const ended = tasks
    .end({ type: 'Task', id: 'task-1' }, { operation: 'PowerOnVM_Task', target: 'worker-1' }, stop.signal)
    .catch((error: unknown) => error)
    .finally(() => (isOver = true))
  stop.abort(new Error('enough'))
  await clock.advance(4_000)
  expect(isOver).toBe(false)
  state = 'success'
  await clock.advance(4_000)
  expect([isOver, await ended]).toEqual([true, stop.signal.reason])
})

test('a task that takes ten minutes is followed by the watch, and asked about less and less often', async () => {
  const clock = new VirtualClock()
  let state = 'running'
  const { calls, tasks } = bookOn(clock, method => {
    if (method !== 'RetrievePropertiesEx') return preliminaries[method] ?? ''
    return `<returnval><objects><obj type="Task">task-1</obj>${property('info.state', state)}</objects></returnval>`
  })
  const never = new AbortController().signal
  const ended = tasks.end({ type: 'Task', id: 'task-1' }, { operation: 'CloneVM_Task', target: 'worker-1' }, never)
  await clock.advance(10 * 60_000)
  expect(calls.filter(call => call === 'RetrievePropertiesEx').length).toBeLessThanOrEqual(12)
  state = 'success'
  await clock.advance(60_000)
  await ended
})

test('a vCenter that does not answer for a while has not ended a task: it is followed on', async () => {
  const clock = new VirtualClock()
  let isDown = true
  const { calls, tasks } = bookOn(clock, method => {
    if (method !== 'RetrievePropertiesEx') return preliminaries[method] ?? ''
    if (isDown) return { status: 503, body: '' }
    return `<returnval><objects><obj type="Task">task-1</obj>${property('info.state', 'success')}</objects></returnval>`
  })
  const never = new AbortController().signal
  const ended = tasks.end({ type: 'Task', id: 'task-1' }, { operation: 'CloneVM_Task', target: 'worker-1' }, never)
  await clock.advance(60_000)
  expect([tasks.isOwn('task-1'), calls.includes('CancelTask')]).toEqual([true, false])
  isDown = false
  await clock.advance(60_000)
  await ended
})
