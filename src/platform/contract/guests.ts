import { describe, expect, test } from 'vitest'
import { Secret } from '../../ports/index.ts'
import { GuestLoginRefused, GuestNotReady, NotThere } from '../errors.ts'
import type { Bench } from './subject.ts'

/** What is promised about what runs inside a VM. */
export function guests(theBench: () => Bench): void {
  const running = async (label: string) => {
    const { platform, vm, done } = theBench()
    const { id } = await vm(label)
    await done(signal => platform.powerOn(id, signal))
    await done(signal => platform.waitForGuest(id, signal))
    return id
  }

  describe('a guest', () => {
    test('has an address after a while, which finds the VM', async () => {
      const { platform, vm, done } = theBench()
      const { id } = await vm('address')
      await done(signal => platform.powerOn(id, signal))
      const address = await done(signal => platform.waitForAddress(id, () => true, signal))
      expect(address).toMatch(/^\d+\.\d+\.\d+\.\d+$/)
      expect(platform.inventory.byAddress(address).map(each => each.id)).toContain(id)
      expect(await done(signal => platform.waitForAddress(id, each => each === address, signal))).toBe(address)
    })

    test('has the address that it was given', async () => {
      const { platform, vm, done } = theBench()
      const address = {
        kind: 'static',
        address: '10.77.0.5',
        subnetMask: '255.255.255.0',
        gateway: '10.77.0.1',
        dns: ['10.77.0.2'],
      } as const
      const { id } = await vm('static', { guest: { hostName: 'static', domain: 'example.test', address } })
      await done(signal => platform.powerOn(id, signal))
      expect(await done(signal => platform.waitForAddress(id, each => each === '10.77.0.5', signal))).toBe('10.77.0.5')
    })

    test('is waited for until the caller gives up or the VM is gone', async () => {
      const { platform, world, vm, failure } = theBench()
      const { id } = await vm('waiting')
      const stop = new AbortController()
      const outcome = platform.waitForAddress(id, () => true, stop.signal).catch((error: unknown) => error)
      await world.pass(200)
      stop.abort(new Error('given up'))
      expect(await outcome).toBe(stop.signal.reason)
      const gone = failure(signal => {
        const wait = platform.waitForGuest(id, signal)
        void world.remove(id)
        return wait
      })
      expect(NotThere.is(await gone)).toBe(true)
    })

    test.each(['never', 'before', 'after'] as const)('runs a program once and tells its end, cut off %s', async when => {
      const { platform, world, done } = theBench()
      const id = await running('program')
      const command = { ...world.login, ...world.program, environment: { PLACE: 'here', KEY: new Secret('hidden') } }
      if (when !== 'never') world.cutNext('runInGuest', when)
      const process = await done(signal => platform.runInGuest(id, command, signal))
      expect(process).toBeGreaterThan(0)
      expect(await world.programsStarted(id)).toBe(1)
      const listed = await done(signal => platform.guestPrograms(id, world.login, signal))
      expect(listed.filter(each => each.process === process)).toMatchObject([{ command: expect.stringContaining(command.args) }])
      let exit: number | undefined
      for (let tries = 0; exit === undefined && tries < 600; tries++) {
        exit = await done(signal => platform.guestExit(id, process, world.login, signal))
        await world.pass(1_000)
      }
      expect(exit).toBe(0)
    })

    test('refuses a wrong password, and cannot be spoken to while it is off', async () => {
      const { platform, world, failure, done } = theBench()
      const id = await running('refusing')
      const command = { ...world.program, user: world.login.user, password: new Secret('certainly-wrong') }
      const refused = await failure(signal => platform.runInGuest(id, command, signal))
      expect(GuestLoginRefused.is(refused), String(refused)).toBe(true)
      expect(JSON.stringify(refused) + String(refused)).not.toContain('certainly-wrong')
      await done(signal => platform.powerOff(id, signal))
      const listing = await failure(signal => platform.guestPrograms(id, { user: world.login.user, password: command.password }, signal))
      expect(listing).toBeInstanceOf(Error)
      const off = await failure(signal => platform.runInGuest(id, { ...command, ...world.login }, signal))
      expect(GuestNotReady.is(off), String(off)).toBe(true)
    })
  })
}
