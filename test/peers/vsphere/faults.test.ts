import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ClaimLost,
  InventoryNotLive,
  NameTaken,
  NoCapacity,
  NotThere,
  SignInRefused,
  type CloneRequest,
  type Vm,
} from '../../../src/platform/index.ts'
import { DeadlineExceeded, Secret } from '../../../src/ports/index.ts'
import { connectTo, never } from './vcenter.ts'
import { vcsimSubject, type VcsimSubject } from './vcsim-world.ts'

const mark = JSON.stringify({ owner: 'faults' })
let subject: VcsimSubject
let count = 0

beforeAll(async () => (subject = await vcsimSubject({ vms: 20, password: 'vcenter-pa55word' })))
afterAll(() => subject.cleanup())

const request = (name: string, more: Partial<CloneRequest> = {}): CloneRequest => ({
  name,
  annotation: mark,
  template: subject.world.template,
  isOurs: vm => vm.annotation === mark,
  ...more,
})
const vm = (label: string): Promise<Vm> => subject.platform.clone(request(`fault-${label}-${++count}`), never)
const rejected = (work: Promise<unknown>) =>
  work.then(
    value => expect.fail(`it should have failed, but gave ${JSON.stringify(value)}`),
    (error: unknown) => error,
  )

/** Others see a VM through a watch of their own, a moment later. */
async function knownToOthers(id: string): Promise<void> {
  await expect.poll(() => subject.other.platform.inventory.byId(id)?.id, { timeout: 10_000 }).toBe(id)
}

/** The session is ended just before vCenter hears of the next call of that method. */
function expireBefore(method: string, { proxy, sim } = subject): void {
  const before = proxy.onCall
  proxy.onCall = async seen => {
    if (seen !== method) return before(seen)
    proxy.onCall = before
    await sim.expire()
  }
}

describe('the session ends just before', () => {
  test('a clone', async () => {
    expireBefore('CloneVM_Task')
    const { id, name } = await vm('expired')
    expect(await subject.world.named(name)).toEqual([id])
  })

  test.each([
    [
      'ReconfigVM_Task',
      ({ id, name }: Vm) => subject.platform.claim({ id, expectedName: name, name: `${name}-claimed`, annotation: mark }, never),
    ],
    ['Rename_Task', ({ id, name }: Vm) => subject.platform.rename(id, `${name}-renamed`, never)],
    ['PowerOnVM_Task', ({ id }: Vm) => subject.platform.powerOn(id, never)],
    ['PowerOffVM_Task', async ({ id }: Vm) => (await subject.platform.powerOn(id, never), subject.platform.powerOff(id, never))],
    ['RetrievePropertiesEx', ({ id }: Vm) => subject.platform.diskGB(id, never)],
    ['MarkAsTemplate', ({ id }: Vm) => subject.platform.markAsTemplate(id, never)],
    ['Destroy_Task', ({ id }: Vm) => subject.platform.destroy(id, never)],
    ['QueryEvents', ({ id }: Vm) => subject.platform.events(id, never)],
  ] as const)('%s, and nobody notices', async (method, act) => {
    const made = await vm('session')
    const before = subject.proxy.calls.filter(call => call === method).length
    expireBefore(method)
    await act(made)
    // The one that met the end of the session, and the one that was made in the next.
    expect(subject.proxy.calls.filter(call => call === method).length - before).toBeGreaterThanOrEqual(2)
    expect((await subject.sim.state()).tasks).toBe(0)
  })

  test('each call into a guest, and the program runs once', async () => {
    const { platform, world } = subject
    const { id } = await vm('guest')
    await platform.powerOn(id, never)
    await platform.waitForGuest(id, never)
    expireBefore('StartProgramInGuest')
    const process = await platform.runInGuest(id, { ...world.login, ...world.program }, never)
    expect(await world.programsStarted(id)).toBe(1)
    expireBefore('ListProcessesInGuest')
    expect(await platform.guestExit(id, process, world.login, never)).toBe(0)
    expireBefore('ShutdownGuest')
    await platform.shutDown(id, never)
    const isOff = () => platform.inventory.state.kind === 'live' && platform.inventory.byId(id)?.power === 'off'
    await expect.poll(isOff, { timeout: 10_000 }).toBe(true)
  })
})

describe('the session ends while vCenter is at work on', () => {
  /** The session is ended when vCenter has taken up the next call of that method, before anybody hears of that. */
  const expireAfter = (method: string) => {
    const { proxy, sim } = subject
    const before = proxy.onAnswer
    proxy.onAnswer = async call => {
      if (call.method !== method) return before(call)
      proxy.onAnswer = before
      await sim.expire()
    }
  }

  test.each([
    ['CloneVM_Task', () => vm('made')],
    [
      'ReconfigVM_Task',
      ({ id, name }: Vm) => subject.platform.claim({ id, expectedName: name, name: `${name}-claimed`, annotation: mark }, never),
    ],
    ['Rename_Task', ({ id, name }: Vm) => subject.platform.rename(id, `${name}-renamed`, never)],
    ['PowerOnVM_Task', ({ id }: Vm) => subject.platform.powerOn(id, never)],
    ['PowerOffVM_Task', async ({ id }: Vm) => (await subject.platform.powerOn(id, never), subject.platform.powerOff(id, never))],
    ['Destroy_Task', ({ id }: Vm) => subject.platform.destroy(id, never)],
  ] as const)('%s, and it is done once all the same', async (method, act) => {
    const made = await vm('session')
    const before = subject.proxy.calls.filter(call => call === method).length
    expireAfter(method)
    await act(made)
    expect(subject.proxy.calls.filter(call => call === method).length - before).toBe(1)
    expect((await subject.sim.state()).tasks).toBe(0)
  })
})

describe('who logs in to a guest', () => {
  test('is let in with the right password and refused with another', async () => {
    const { platform, world, vcenter } = subject
    const { id } = await vm('login')
    await platform.powerOn(id, never)
    await platform.waitForGuest(id, never)
    const ref = { type: 'VirtualMachine', id }
    await vcenter.connection.guests.validate(ref, world.login, never)
    const wrong = { ...world.login, password: new Secret('wr0ng') }
    const error = await rejected(vcenter.connection.guests.validate(ref, wrong, never))
    expect(error).toMatchObject({ details: { fault: 'InvalidGuestLogin' } })
    expect(JSON.stringify(error) + String(error)).not.toContain('wr0ng')
  })
})

describe('what comes back is not an answer', () => {
  const bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>'
  test.each([
    ['an HTML page', { status: 200, body: '<html><body>log in first</body></html>' }],
    ['a document type with entities', { status: 200, body: bomb }],
    ['half an envelope', { status: 200, body: '<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="x"><soapenv:Body>' }],
    ['another XML document', { status: 200, body: '<feed><entry/></feed>' }],
    ['status 503', { status: 503 }],
    ['status 502', { status: 502 }],
    ['status 500 without a fault', { status: 500, body: 'oops' }],
  ] as const)('%s: the VM is made once all the same', async (_, fault) => {
    subject.proxy.harmNext('CloneVM_Task', fault)
    const { id, name } = await vm('nonsense')
    expect(await subject.world.named(name)).toEqual([id])
  })

  test('a watch that is told nonsense begins again and shows nothing empty', async () => {
    const { platform, proxy, vcenter } = subject
    const kept = await vm('kept')
    const gone: string[] = []
    const forget = platform.inventory.onChange(({ old, now }) => {
      if (now === undefined) gone.push(old!.name)
    })
    const before = vcenter.connection.watch.rebuilds
    proxy.harmNext('WaitForUpdatesEx', { status: 200, body: bomb })
    const seen = await vm('after')
    await vcenter.connection.live(never)
    await expect.poll(() => vcenter.connection.watch.rebuilds, { timeout: 10_000 }).toBeGreaterThan(before)
    await vcenter.connection.live(never)
    forget()
    expect(gone).toEqual([])
    expect([kept, seen].map(each => platform.inventory.byId(each.id)?.name)).toEqual([kept.name, seen.name])
  })
})

describe('the network', () => {
  /** What there is in vCenter when everybody watches again. */
  const settled = async () => {
    await Promise.all([subject.vcenter, subject.other].map(({ connection }) => connection.live(never)))
    await sleep(300)
    return subject.sim.state()
  }

  test('an answer that never comes is looked for after 15 seconds', async () => {
    subject.proxy.harmNext('CloneVM_Task', 'hang')
    const { id, name } = await vm('hanging')
    expect(await subject.world.named(name)).toEqual([id])
  }, 60_000)

  test('a vCenter that restarts is waited for; the inventory is never empty and sees what happened meanwhile', async () => {
    const { platform, proxy, sim, world, vcenter } = subject
    const [kept, doomed] = [await vm('kept'), await vm('doomed')]
    const { filters, views } = await settled()
    const gone: string[] = []
    const forget = platform.inventory.onChange(({ old, now }) => {
      if (now === undefined) gone.push(old!.name)
    })
    await proxy.goAway()
    await sim.expire()
    await expect.poll(() => platform.inventory.state.kind).not.toBe('live')
    expect(() => platform.inventory.all()).toThrow(expect.objectContaining({ code: InventoryNotLive.code }))
    await world.remove(doomed.id)
    const late = platform.clone(request('fault-during-restart'), never)
    await sleep(500)
    await proxy.comeBack()
    const made = await late
    forget()
    expect(gone).toEqual([doomed.name])
    expect(platform.inventory.byId(kept.id)?.name).toBe(kept.name)
    expect(await world.named('fault-during-restart')).toEqual([made.id])
    expect(vcenter.connection.session.generation).toBeGreaterThan(1)
    await expect.poll(settled, { timeout: 10_000 }).toMatchObject({ filters, views })
  }, 60_000)

  test('what is watched in a session is removed from it when the watch begins again', async () => {
    const { proxy, vcenter } = subject
    const before = await settled()
    for (let round = 0; round < 3; round++) {
      const rebuilds = vcenter.connection.watch.rebuilds
      proxy.cutAll()
      // It waits longer before each beginning, as long as none lasts a minute.
      await expect.poll(() => vcenter.connection.watch.rebuilds, { timeout: 40_000 }).toBeGreaterThan(rebuilds)
    }
    const after = await settled()
    expect([after.sessions, after.filters, after.views]).toEqual([before.sessions, before.filters, before.views])
  }, 120_000)
})

describe('tasks', () => {
  test('one that does not end is cancelled at its deadline and leaves nothing', async () => {
    const { sim, proxy, world } = subject
    await using impatient = await connectTo(sim, { url: proxy.url, cloneTimeout: 600 })
    const error = await rejected(impatient.platform.clone(request('endless-clone'), never))
    expect(DeadlineExceeded.is(error), String(error)).toBe(true)
    expect((await sim.state()).tasks).toBe(0)
    expect(await world.named('endless-clone')).toEqual([])
  })

  test('a VM that another task holds is waited for', async () => {
    const { sim, other, platform } = subject
    const { id } = await vm('held')
    await knownToOthers(id)
    await sim.hold('powerOn')
    const stop = new AbortController()
    const held = other.platform.powerOn(id, stop.signal).catch(() => {})
    await expect.poll(async () => (await sim.state()).tasks).toBe(1)
    const annotated = platform.annotate(id, '{"waited":true}', never)
    await sleep(500)
    stop.abort(new Error('enough'))
    await held
    expect((await annotated).note).toEqual({ waited: true })
  })

  test('one that takes its time is followed by name, also when the session ends just then, and is done once', async () => {
    const slow = await vcsimSubject({ vms: 2, taskMs: 2_600 })
    try {
      const { platform, proxy, sim, world } = slow
      const { id } = await platform.clone(request('fault-slow', { template: world.template }), never)
      expireBefore('ModifyListView', slow)
      expect((await platform.powerOn(id, never)).power).toBe('on')
      expect(proxy.calls).toContain('ModifyListView')
      expect(proxy.calls.filter(call => call === 'PowerOnVM_Task')).toHaveLength(1)
      expect((await sim.state()).tasks).toBe(0)
    } finally {
      await slow.cleanup()
    }
  }, 60_000)

  test('what does not fit is refused as such', async () => {
    const error = await rejected(subject.platform.clone(request('too-big-for-this'), never))
    expect(NoCapacity.is(error), String(error)).toBe(true)
  })

  test('of two programs that make the same name one wins, and the other learns that it is taken', async () => {
    const { platform, other, world } = subject
    const theirs = request('fault-contested', { annotation: 'theirs', isOurs: each => each.annotation === 'theirs' })
    const outcomes = await Promise.allSettled([platform.clone(request('fault-contested'), never), other.platform.clone(theirs, never)])
    const lost = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    expect(lost.map(error => NameTaken.is(error))).toEqual([true])
    expect(await world.named('fault-contested')).toHaveLength(1)
  })

  /** Somebody else acts just before vCenter hears of the next call of that method. */
  const meanwhile = (method: string, act: () => Promise<unknown>) => {
    const before = subject.proxy.onCall
    subject.proxy.onCall = async seen => {
      if (seen !== method) return before(seen)
      subject.proxy.onCall = before
      await act()
    }
  }

  test('a VM that somebody else switched on or off a moment before is as it was wanted', async () => {
    const { platform, other } = subject
    const { id } = await vm('raced')
    await knownToOthers(id)
    meanwhile('PowerOnVM_Task', () => other.platform.powerOn(id, never))
    expect((await platform.powerOn(id, never)).power).toBe('on')
    meanwhile('PowerOffVM_Task', () => other.platform.powerOff(id, never))
    expect((await platform.powerOff(id, never)).power).toBe('off')
  })

  test('a VM that somebody switches on while it is removed is switched off and removed; one that is claimed then is lost', async () => {
    const { platform, other, world } = subject
    const [doomed, claimed] = [await vm('doomed'), await vm('claimed')]
    await knownToOthers(claimed.id)
    meanwhile('Destroy_Task', () => other.platform.powerOn(doomed.id, never))
    await platform.destroy(doomed.id, never)
    expect(await world.named(doomed.name)).toEqual([])
    meanwhile('ReconfigVM_Task', () => other.platform.powerOn(claimed.id, never))
    const wanted = { id: claimed.id, expectedName: claimed.name, name: `${claimed.name}-late`, annotation: mark, cpus: 8 }
    expect(ClaimLost.is(await rejected(platform.claim(wanted, never)))).toBe(true)
    expect(await world.named(claimed.name)).toEqual([claimed.id])
  })

  test('a name that somebody takes a moment before is taken', async () => {
    const { platform, world } = subject
    const made = await vm('renamed')
    meanwhile('Rename_Task', () => world.foreignVm({ name: 'fault-taken' }))
    const error = await rejected(platform.rename(made.id, 'fault-taken', never))
    expect(NameTaken.is(error), String(error)).toBe(true)
    expect(await world.named(made.name)).toEqual([made.id])
  })

  test('a VM that vanishes in the middle is not there', async () => {
    const { platform, other } = subject
    const { id } = await vm('vanishing')
    await knownToOthers(id)
    meanwhile('PowerOnVM_Task', () => other.platform.destroy(id, never))
    const error = await rejected(platform.powerOn(id, never))
    expect(NotThere.is(error), String(error)).toBe(true)
  })
})

describe('who signs in', () => {
  test('wrong credentials are tried once, refused from then on, and never shown', async () => {
    const { sim, proxy } = subject
    const password = new Secret('p/a?s#s%w&o<r>d"')
    const tries = () => proxy.calls.filter(call => call === 'Login').length
    const before = tries()
    await using refused = await connectTo(sim, { url: proxy.url, password }, { live: false })
    const errors = [
      await rejected(refused.platform.clone(request('refused'), never)),
      await rejected(refused.platform.clone(request('refused'), never)),
    ]
    expect(errors.map(error => SignInRefused.is(error))).toEqual([true, true])
    await sleep(500)
    expect(tries() - before).toBe(1)
    expect(() => refused.platform.inventory.all()).toThrow(expect.objectContaining({ code: InventoryNotLive.code }))
    expect(JSON.stringify(refused.log.lines) + String(errors) + JSON.stringify(errors)).not.toContain(password.reveal())
  })

  test('a password may hold any character', async () => {
    const { startVcsim } = await import('../peer.ts')
    const strange = await startVcsim({ vms: 1, password: 'p/a?s#s%w&o<r>d" é]]>' })
    try {
      await using there = await connectTo(strange)
      expect(there.platform.inventory.byName('DC0_C0_RP0_VM0')).toHaveLength(1)
    } finally {
      await strange.stop()
    }
  })

  test('no secret is in any line of the log, whatever went wrong', async () => {
    const { platform, proxy, world, vcenter, sim } = subject
    const { id } = await vm('secret')
    await platform.powerOn(id, never)
    await platform.waitForGuest(id, never)
    const command = { ...world.login, program: '/bin/sh', args: '-c true', environment: { TOKEN: new Secret('t0ken-in-the-environment') } }
    proxy.harmNext('StartProgramInGuest', 'cut after')
    await platform.runInGuest(id, command, never)
    proxy.harmNext('StartProgramInGuest', { status: 200, body: '<broken' })
    await platform.runInGuest(id, { ...command, args: '-c false' }, never)
    const error = await rejected(platform.runInGuest(id, { ...command, password: new Secret('wr0ng-in-the-guest') }, never))
    const everything =
      JSON.stringify(vcenter.log.lines, (_, value: unknown) =>
        value instanceof Error ? Object.assign({}, value, { message: value.message, cause: String(value.cause) }) : value,
      ) + String(error)
    expect(vcenter.log.lines.length).toBeGreaterThan(1)
    for (const secret of [
      sim.password,
      world.login.password.reveal(),
      't0ken-in-the-environment',
      'wr0ng-in-the-guest',
      'vmware_soap_session=',
    ]) {
      expect(everything).not.toContain(secret)
    }
  })
})

describe('annotations that are not ours', () => {
  test.each([
    ['not JSON', 'Ticket OPS-1234: do not touch', undefined],
    ['half of JSON', '{"owner":"faults"', undefined],
    ['a list', '["faults"]', undefined],
    ['very long', `{"text":"${'x'.repeat(70_000)}"}`, undefined],
    ['strange but JSON', '{"owner":{"__proto__":1},"é":"<&>\\n\\u2028"}', { é: '<&>\n\u2028' }],
  ])('%s', async (_, annotation, note) => {
    const { platform, other } = subject
    const { id } = await vm('foreign')
    await knownToOthers(id)
    await other.platform.annotate(id, annotation, never)
    await expect.poll(() => platform.inventory.byId(id)?.annotation, { timeout: 10_000 }).toBe(annotation)
    if (note === undefined) expect(platform.inventory.byId(id)?.note).toBeUndefined()
    else expect(platform.inventory.byId(id)?.note).toMatchObject(note)
  })
})
