import { describe, expect, test } from 'vitest'
import { SignInRefused } from '../../platform/index.ts'
import { Secret, silentLog, simulatedHttp, Unreachable, VirtualClock } from '../../ports/index.ts'
import { AnswerNotUnderstood, VimFault } from '../errors.ts'
import { preliminaries, refusal, response, scriptedVcenter, type Scripted } from '../testing/scripted-vcenter.ts'
import { retrieveOne } from '../vim/property-collector.ts'
import { Session } from './session.ts'
import { SoapClient } from './soap-client.ts'

const target = { type: 'ServiceInstance', id: 'ServiceInstance' }

function sessionOn(script: (method: string, cookie: string) => Scripted | Promise<Scripted> | undefined) {
  const clock = new VirtualClock()
  const { http, calls } = scriptedVcenter(clock, (method, _, cookie) => script(method, cookie) ?? preliminaries[method] ?? '')
  const password = new Secret('opensesame')
  const session = new Session({
    soap: new SoapClient('https://vcenter/sdk', http),
    name: 'vCenter',
    user: 'ann',
    password,
    clock,
    log: silentLog,
  })
  return { session, calls, clock }
}

describe('a session', () => {
  test('begins with the first call, once, however many there are', async () => {
    const { session, calls } = sessionOn(() => undefined)
    await Promise.all([1, 2, 3].map(() => session.call('CurrentTime', target)))
    expect(calls.filter(call => call === 'Login')).toHaveLength(1)
    expect(session.key).toBe('session-1')
  })

  test('that has ended is replaced once for all who meet its end, and their calls are made again', async () => {
    let ended = false
    const { session, calls } = sessionOn(method => {
      if (method === 'Login') ended = false
      return method === 'CurrentTime' && ended ? refusal('NotAuthenticated') : undefined
    })
    await session.call('CurrentTime', target)
    ended = true
    await Promise.all([1, 2, 3].map(() => session.call('CurrentTime', target)))
    expect(calls.filter(call => call === 'Login')).toHaveLength(2)
    expect(session.generation).toBe(2)
  })

  test('that has ended is noticed in a listing too, where each property is refused instead of the call', async () => {
    let ended = false
    const refused =
      '<returnval><objects><obj type="VirtualMachine">vm-1</obj><missingSet><path>name</path><fault>' +
      '<fault xmlns:xsi="x" xsi:type="NotAuthenticated"/></fault></missingSet></objects></returnval>'
    const listed =
      '<returnval><objects><obj type="VirtualMachine">vm-1</obj><propSet><name>name</name><val>robin</val></propSet></objects></returnval>'
    const { session } = sessionOn(method => {
      if (method === 'Login') ended = false
      return method === 'RetrievePropertiesEx' ? (ended ? refused : listed) : undefined
    })
    await session.content()
    ended = true
    const properties = await retrieveOne(session, { type: 'VirtualMachine', id: 'vm-1' }, ['name'])
    expect(properties?.get('name')?.text).toBe('robin')
    expect(session.generation).toBe(2)
  })

  test('keeps the cookie of its sign-in, whatever cookies come with answers to those who met the end of the last', async () => {
    let valid = ''
    let sayLate: (() => void) | undefined
    const bringing = (cookie: string, answer: object) => ({
      ...(answer as { status: number }),
      headers: { 'set-cookie': `vmware_soap_session="${cookie}"; Path=/; HttpOnly; Secure;` },
    })
    const { session } = sessionOn((method, cookie) => {
      if (method === 'Login') return bringing((valid = `session ${session.generation + 1}`), response('Login', preliminaries['Login']!))
      if (method !== 'FindChild' || cookie.includes(valid)) return undefined
      // Whoever has no session is given one that nobody has signed in to.
      const refused = bringing('nobody', refusal('NotAuthenticated'))
      return sayLate === undefined ? new Promise(resolve => (sayLate = () => resolve(refused))) : refused
    })
    await session.content()
    valid = 'another'
    const first = session.call('FindChild', target)
    await session.call('FindChild', target)
    sayLate!()
    await first
    await session.call('FindChild', target)
    expect(session.generation).toBe(2)
  })

  test('that is being replaced is waited for, so that no call goes out without one', async () => {
    let ended = false
    let letIn = () => {}
    const { session, calls, clock } = sessionOn(method => {
      if (method === 'Login' && ended) return new Promise(resolve => (letIn = () => resolve(preliminaries['Login']!)))
      return method === 'FindChild' && ended ? refusal('NotAuthenticated') : undefined
    })
    await session.content()
    ended = true
    const first = session.call('FindChild', target)
    await clock.advance(100)
    const second = session.call('DestroyView', target)
    ended = false
    await clock.advance(100)
    expect(calls).not.toContain('DestroyView')
    letIn()
    await Promise.all([first, second])
    expect(calls.indexOf('DestroyView')).toBeGreaterThan(calls.lastIndexOf('Login'))
  })

  test('is not asked for again after wrong credentials', async () => {
    const { session, calls } = sessionOn(method => (method === 'Login' ? refusal('InvalidLogin', 'Cannot complete login') : undefined))
    for (let count = 0; count < 3; count++) {
      const error = await session.call('CurrentTime', target).catch((refused: unknown) => refused)
      expect(SignInRefused.is(error)).toBe(true)
      expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain('opensesame')
    }
    expect(calls.filter(call => call === 'Login')).toHaveLength(1)
  })

  test('whose credentials are refused in the middle makes no further call, signed in or not', async () => {
    let isOver = false
    const { session, calls } = sessionOn(method => {
      if (!isOver) return undefined
      return method === 'Login' ? refusal('InvalidLogin') : method === 'CurrentTime' ? refusal('NotAuthenticated') : undefined
    })
    await session.call('CurrentTime', target)
    isOver = true
    await session.call('CurrentTime', target).catch(() => {})
    const before = calls.length
    expect(SignInRefused.is(await session.call('CurrentTime', target).catch((refused: unknown) => refused))).toBe(true)
    expect(calls).toHaveLength(before)
  })

  test('is asked for again when vCenter could not be reached', async () => {
    let down = true
    const { session } = sessionOn(method => (method === 'Login' && down ? { status: 503, body: 'starting' } : undefined))
    expect(Unreachable.is(await session.call('CurrentTime', target).catch((error: unknown) => error))).toBe(true)
    down = false
    await session.call('CurrentTime', target)
  })

  test('is kept alive every five minutes and ended at the end', async () => {
    const { session, calls, clock } = sessionOn(() => undefined)
    await session.content()
    await clock.advance(16 * 60_000)
    expect(calls.filter(call => call === 'CurrentTime')).toHaveLength(3)
    await session.close()
    expect(calls.at(-1)).toBe('Logout')
    await clock.advance(60 * 60_000)
    await expect(session.call('CurrentTime', target)).rejects.toMatchObject({ code: Unreachable.code })
    expect(calls.at(-1)).toBe('Logout')
  })
})

test('every answer may be compressed', async () => {
  const asked: string[] = []
  const http = simulatedHttp(
    async request => {
      asked.push(request.headers['accept-encoding'] ?? '')
      return response('CurrentTime', '<returnval>2026-11-16T00:00:00Z</returnval>')
    },
    { clock: new VirtualClock() },
  )
  await new SoapClient('https://vcenter/sdk', http).call('CurrentTime', target)
  expect(asked).toEqual(['gzip'])
})

describe('an answer', () => {
  test.each([
    ['a refusal', refusal('InvalidPowerState', 'not now'), VimFault.code],
    ['a page', { status: 200, body: '<html/>' }, AnswerNotUnderstood.code],
    ['nothing', { status: 200, body: '' }, AnswerNotUnderstood.code],
    ['a document type', { status: 200, body: '<!DOCTYPE a><a/>' }, AnswerNotUnderstood.code],
    ['an error page', { status: 500, body: 'oops' }, Unreachable.code],
    ['a gateway that gives up', { status: 504, body: '' }, Unreachable.code],
  ])('%s', async (_, answer, code) => {
    const { session } = sessionOn(method => (method === 'PowerOnVM_Task' ? answer : undefined))
    await expect(session.call('PowerOnVM_Task', { type: 'VirtualMachine', id: 'vm-1' })).rejects.toMatchObject({ code })
  })

  test.each([301, 403, 404])('status %i, which no vCenter gives, says to look at the URL', async status => {
    const { session } = sessionOn(method => (method === 'RetrieveServiceContent' ? { status, body: '' } : undefined))
    await expect(session.content()).rejects.toMatchObject({ code: Unreachable.code, fix: expect.stringContaining('the URL') })
  })

  test('a refusal names the fault, its message and what it is about', async () => {
    const { session } = sessionOn(method => (method === 'PowerOnVM_Task' ? refusal('InvalidPowerState', 'not now') : undefined))
    await expect(session.call('PowerOnVM_Task', { type: 'VirtualMachine', id: 'vm-1' })).rejects.toMatchObject({
      details: { call: 'PowerOnVM_Task', fault: 'InvalidPowerState', message: 'not now' },
    })
  })
})
