import { expect, test } from 'vitest'
import { Secret } from '../../ports/index.ts'
import { aVm } from '../../platform/testing/a-vm.ts'
import { listed, scriptedConnection } from '../testing/scripted-connection.ts'
import { runInGuest } from './guest.ts'

const script = '-n ;( curl https://cds -o worker && chmod +x worker && ./worker ) 1>/tmp/worker.log 2>&1 &'

const never = new AbortController().signal
const command = { user: 'worker', password: new Secret('x'), program: '/bin/echo', args: script }

/** A guest that shows this as process 77, and in which starts are answered with 77, 78, …, but for those whose answers get lost. */
function guestShowing(shown: string, lost: (start: number) => boolean) {
  const managers = listed('GuestOperationsManager', 'gm', {
    processManager: '<val type="x">pm</val>',
    authManager: '<val type="x">am</val>',
  })
  const count = () => calls.filter(call => call === 'StartProgramInGuest').length
  const { connection, calls, clock } = scriptedConnection(method => {
    if (method === 'RetrievePropertiesEx') return `<returnval>${managers}</returnval>`
    if (method === 'ListProcessesInGuest') {
      const escaped = shown.replaceAll('&', '&amp;').replaceAll('>', '&gt;')
      return `<returnval><name>bash</name><pid>77</pid><owner>worker</owner><cmdLine>${escaped}</cmdLine></returnval>`
    }
    if (method !== 'StartProgramInGuest') return undefined
    return lost(count()) ? { status: 502, body: '' } : `<returnval>${76 + count()}</returnval>`
  })
  connection.inventory.replace([aVm({ id: 'vm-1', power: 'on' })])
  const run = async () => {
    const process = runInGuest(connection, 'vm-1', command, never)
    await clock.advance(10_000)
    return await process
  }
  return { connection, run, count }
}

/** How often the program is started if the first answer is lost and the guest then shows this. */
async function starts(shown: string): Promise<number> {
  const guest = guestShowing(shown, start => start === 1)
  await guest.run()
  return guest.count()
}

test.each([
  ['as it was asked for', `/bin/echo ${script}`],
  ['in quotation marks, as VMware Tools keep it', `"/bin/echo" ${script}`],
  ['behind the shell that VMware Tools run it by', `/bin/bash -c "/bin/echo" ${script} `],
])('after a lost answer a program that the guest shows %s is not started again', async (_, shown) => {
  expect(await starts(shown)).toBe(1)
})

test('after a lost answer a program that the guest does not show is started', async () => {
  expect(await starts('/bin/echo -n ;env')).toBe(2)
})

test('after a lost answer a program that was started before is not taken for the one that is looked for', async () => {
  const { run, count } = guestShowing(`/bin/echo ${script}`, start => start === 2)
  expect(await run()).toBe(77)
  expect(await run()).toBe(79)
  expect(count()).toBe(3)
})

test('a guest that booted again counts its processes anew', async () => {
  const { connection, run, count } = guestShowing(`/bin/echo ${script}`, start => start === 2)
  expect(await run()).toBe(77)
  for (const power of ['off', 'on'] as const) connection.inventory.put(aVm({ id: 'vm-1', power }))
  expect(await run()).toBe(77)
  expect(count()).toBe(2)
})
