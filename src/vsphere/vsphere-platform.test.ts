import { describe, expect, test } from 'vitest'
import { everyCall } from '../platform/contract/every-call.ts'
import { DeadlineExceeded, Secret, Unreachable } from '../ports/index.ts'
import { aVm } from '../platform/testing/a-vm.ts'
import { scriptedConnection } from './testing/scripted-connection.ts'
import type { Scripted } from './testing/scripted-vcenter.ts'
import { VspherePlatform } from './vsphere-platform.ts'

const never = new AbortController().signal
const minute = 60_000
const vm = aVm({ id: 'vm-1', name: 'robin', power: 'on' })
const request = { name: 'wren', annotation: 'ours', template: 'debian', isOurs: () => false }

/** A platform whose vCenter lets us in, shows one VM and one template, and then answers everything like this. */
function platformOn(answer: (method: string) => Scripted | Promise<Scripted> | undefined) {
  const letsIn = ['RetrieveServiceContent', 'Login']
  const { connection, clock } = scriptedConnection(method => (letsIn.includes(method) ? undefined : answer(method)))
  connection.inventory.replace([vm, aVm({ id: 'vm-2', name: 'debian', template: true })])
  return { connection, clock, platform: new VspherePlatform(connection) }
}

describe('every call comes to an end although nobody calls it off, on a vCenter', () => {
  const operations = Object.keys(everyCall(platformOn(() => undefined).platform, vm, request, { user: 'ann', password: new Secret('x') }))
  const answers: Readonly<Record<string, Scripted>> = {
    'that is starting': { status: 503, body: '' },
    'whose answers get lost': { status: 502, body: '' },
    'that talks nonsense': '<html>log in first</html>',
  }
  test.each(Object.keys(answers).flatMap(how => operations.map(operation => [how, operation] as const)))(
    '%s: %s',
    async (how, operation) => {
      const { platform, clock } = platformOn(() => answers[how])
      const call = everyCall(platform, vm, request, { user: 'ann', password: new Secret('x') })[operation as 'clone']
      let isOver = false
      const outcome = call(never)
        .catch((error: unknown) => error)
        .finally(() => (isOver = true))
      await clock.advance(40 * minute)
      expect(isOver).toBe(true)
      await outcome
    },
  )
})

test('a question that vCenter does not answer is given up after two minutes', async () => {
  const { platform, clock } = platformOn(() => ({ status: 503, body: '' }))
  const began = clock.now()
  let took = 0
  const outcome = platform
    .diskGB('vm-1', never)
    .catch((error: unknown) => error)
    .finally(() => (took = clock.now() - began))
  await clock.advance(10 * minute)
  expect([DeadlineExceeded.is(await outcome), took]).toEqual([true, 2 * minute])
})

test('answers that make no sense are asked for three times', async () => {
  let asked = 0
  const { platform, clock } = platformOn(method => {
    if (method === 'QueryEvents') asked++
    return method === 'QueryEvents' ? { status: 200, body: '<html/>' } : undefined
  })
  const outcome = platform.events('vm-1', never).catch((error: unknown) => error)
  await clock.advance(minute)
  expect([await outcome, asked]).toMatchObject([{ code: 'VSPHERE_ANSWER_NOT_UNDERSTOOD' }, 3])
})

test('who waits for a guest is told as soon as the connection is closed', async () => {
  const { platform, clock } = platformOn(() => undefined)
  const waiting = platform.waitForAddress('vm-1', () => false, never).catch((error: unknown) => error)
  await clock.advance(1_000)
  await platform.close()
  expect(Unreachable.is(await waiting)).toBe(true)
})

test('what is under way when the connection is closed does not ask a vCenter that will not answer any more', async () => {
  const { platform, clock } = platformOn(() => ({ status: 503, body: '' }))
  const reading = platform.diskGB('vm-1', never).catch((error: unknown) => error)
  await clock.advance(1_000)
  await platform.close()
  await clock.advance(20_000)
  expect(Unreachable.is(await reading)).toBe(true)
})

test('who gives up while something else is done to the VM does not wait for that', async () => {
  const { platform, clock } = platformOn(method => (method === 'PowerOffVM_Task' ? new Promise<Scripted>(() => {}) : undefined))
  const stop = new AbortController()
  const first = platform.powerOff('vm-1', never).catch(() => {})
  const second = platform.annotate('vm-1', 'x', stop.signal).catch((error: unknown) => error)
  await clock.advance(1_000)
  stop.abort(new Error('enough'))
  expect(await second).toBe(stop.signal.reason)
  await clock.advance(40 * minute)
  await first
})
