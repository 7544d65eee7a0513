import { expect, test } from 'vitest'
import { Secret } from '../../ports/index.ts'
import { aVm } from '../../platform/testing/a-vm.ts'
import { listed, scriptedConnection } from '../testing/scripted-connection.ts'
import { runInGuest } from './guest.ts'

const script = '-n ;( curl https://cds -o worker && chmod +x worker && ./worker ) 1>/tmp/worker.log 2>&1 &'

/** How often the program is started if the first answer is lost and the guest then shows this. */
async function starts(shown: string): Promise<number> {
  const managers = listed('GuestOperationsManager', 'gm', {
    processManager: '<val type="x">pm</val>',
    authManager: '<val type="x">am</val>',
  })
  const { connection, calls, clock } = scriptedConnection(method => {
    if (method === 'RetrievePropertiesEx') return `<returnval>${managers}</returnval>`
    if (method === 'ListProcessesInGuest') {
      const escaped = shown.replaceAll('&', '&amp;').replaceAll('>', '&gt;')
      return `<returnval><name>bash</name><pid>77</pid><owner>worker</owner><cmdLine>${escaped}</cmdLine></returnval>`
    }
    if (method !== 'StartProgramInGuest') return undefined
    return calls.filter(call => call === method).length === 1 ? { status: 502, body: '' } : '<returnval>78</returnval>'
  })
  connection.inventory.replace([aVm({ id: 'vm-1', power: 'on' })])
  const command = { user: 'worker', password: new Secret('x'), program: '/bin/echo', args: script }
  const process = runInGuest(connection, 'vm-1', command, new AbortController().signal)
  await clock.advance(10_000)
  await process
  return calls.filter(call => call === 'StartProgramInGuest').length
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
