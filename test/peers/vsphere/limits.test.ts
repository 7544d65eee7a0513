import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Vm } from '../../../src/platform/index.ts'
import { Secret } from '../../../src/ports/index.ts'
import { startVcsim, type Vcsim } from '../peer.ts'
import { connectTo, never, type Vcenter } from './vcenter.ts'
import { makeTemplate } from './vcsim-world.ts'

const sizes = [1_000, 10_000] as const
const kilobyte = 1024

interface Fleet {
  readonly sim: Vcsim
  readonly mine: Vcenter
  readonly other: Vcenter
  readonly template: string
}

const fleets = new Map<number, Fleet>()
const fleet = (size: number) => fleets.get(size)!

/**
 * What a provisioned VM costs: made with a card of its own on a distributed network and an address of its own, booted until it can be
 * used, and switched off again until somebody needs it.
 */
async function provision({ mine: { platform }, template }: Fleet, name: string, address: string) {
  const annotation = JSON.stringify({ owner: 'limits', provisioning: true, worker_model_path: 'shared/debian-12', created: 1 })
  const subnet = { subnetMask: '255.255.255.0', gateway: '10.9.0.1', dns: ['10.9.0.2'] }
  const request = {
    name,
    annotation,
    template,
    network: { network: 'DC0_DVPG0', card: 'vmxnet3' as const },
    guest: { hostName: name, domain: 'example.test', address: { kind: 'static' as const, address, ...subnet } },
    isOurs: (vm: Vm) => vm.annotation === annotation,
  }
  const { id } = await platform.clone(request, never)
  await platform.powerOn(id, never)
  await platform.waitForGuest(id, never)
  await platform.waitForAddress(id, each => each === address, never)
  await platform.powerOff(id, never)
  return id
}

async function claimAndStart({ mine: { platform } }: Fleet, id: string, name: string) {
  const expectedName = platform.inventory.byId(id)!.name
  const annotation = JSON.stringify({ owner: 'limits', job_id: '4f1c', worker_model_path: 'shared/debian-12', worker_start_time: 2 })
  await platform.capacity()
  await platform.claim({ id, expectedName, name, annotation, cpus: 2, memoryMB: 2048 }, never)
  await platform.powerOn(id, never)
  await platform.waitForGuest(id, never)
  await platform.waitForAddress(id, () => true, never)
  const environment = { CDS_CONFIG: new Secret('secret') }
  await platform.runInGuest(id, { user: 'root', password: new Secret('x'), program: '/bin/echo', args: '-n ;worker', environment }, never)
}

/** Waits until nothing has happened for a moment: what earlier steps caused must not be counted for the next. */
async function quiet({ mine: { http } }: Fleet): Promise<void> {
  for (let before = -1; before !== http.calls.length;) {
    before = http.calls.length
    await sleep(700)
  }
}

/** The same, with a watch that has just been told something: it asks again half a minute later, which is not what is counted. */
async function freshlyQuiet(made: Fleet): Promise<void> {
  const { mine, other } = made
  const { id, annotation } = other.platform.inventory.byName('DC0_C0_RP0_VM2')[0]!
  await other.platform.annotate(id, `${annotation}.`, never)
  await expect.poll(() => mine.platform.inventory.byId(id)?.annotation, { timeout: 10_000 }).toBe(`${annotation}.`)
  await quiet(made)
}

beforeAll(async () => {
  for (const size of sizes) {
    const sim = await startVcsim({ vms: size, cloneMs: 100, taskMs: 50, toolsMs: 300, addressMs: 400 })
    const other = await connectTo(sim)
    const template = await makeTemplate(other)
    const mine = await connectTo(sim)
    const made = { sim, mine, other, template }
    fleets.set(size, made)
    // Names are looked up and the template is read once; what is measured is what each further VM costs.
    await claimAndStart(made, await provision(made, 'first', '10.9.0.8'), 'first-worker')
    await quiet(made)
  }
}, 300_000)

afterAll(async () => {
  for (const { sim, mine, other } of fleets.values()) {
    await mine[Symbol.asyncDispose]()
    await other[Symbol.asyncDispose]()
    await sim.stop()
  }
})

describe.each(sizes)('in a vCenter with %d VMs', size => {
  test('to provision one VM takes at most 9 calls, replies of the watch included, and 16 KB', async () => {
    const { http } = fleet(size).mine
    await freshlyQuiet(fleet(size))
    http.reset()
    await provision(fleet(size), 'ready-1', '10.9.0.9')
    console.log(
      `${size} VMs: provision: ${http.commands.length} calls, ${http.calls.length} with replies of the watch, ${http.received} bytes`,
    )
    expect(http.calls.length, http.calls.map(({ method }) => method).join(', ')).toBeLessThanOrEqual(9)
    expect(http.received).toBeLessThanOrEqual(16 * kilobyte)
  })

  test('to claim and start a provisioned VM takes at most 8 calls besides replies of the watch, and 20 KB', async () => {
    const { http, platform } = fleet(size).mine
    await quiet(fleet(size))
    const [ready] = platform.inventory.byName('ready-1')
    http.reset()
    await claimAndStart(fleet(size), ready!.id, 'worker-1')
    console.log(
      `${size} VMs: claim and start: ${http.commands.length} calls, ${http.calls.length} with replies of the watch, ${http.received} bytes`,
    )
    expect(http.commands.length).toBeLessThanOrEqual(8)
    expect(http.received).toBeLessThanOrEqual(20 * kilobyte)
  })

  test("somebody else's change is seen for at most 2 KB", async () => {
    const { mine, other } = fleet(size)
    const { id } = other.platform.inventory.byName('DC0_C0_RP0_VM3')[0]!
    const rename = () => other.connection.session.call('Rename_Task', { type: 'VirtualMachine', id }, { newName: 'renamed' })
    const changes = {
      annotated: () => other.platform.annotate(id, '{"by":"somebody else"}', never),
      renamed: rename,
      'powered off': () => other.platform.powerOff(id, never),
      'powered on': () => other.platform.powerOn(id, never),
    }
    for (const [change, make] of Object.entries(changes)) {
      await quiet(fleet(size))
      mine.http.reset()
      const before = mine.platform.inventory.byId(id)
      await make()
      await expect.poll(() => mine.platform.inventory.byId(id)).not.toBe(before)
      await quiet(fleet(size))
      // A VM that is powered on is three changes: it is on, later its tools run, later it has an address.
      const largest = Math.max(...mine.http.calls.map(({ received }) => received))
      console.log(`${size} VMs: a VM ${change} by others: at most ${largest} bytes in each of ${mine.http.calls.length} replies`)
      expect(mine.http.commands, change).toEqual([])
      expect(mine.http.calls.length, change).toBeLessThanOrEqual(change === 'powered on' ? 3 : 1)
      expect(largest, change).toBeLessThanOrEqual(2 * kilobyte)
    }
    expect(mine.platform.inventory.byId(id)?.addresses).toHaveLength(1)
  })
})

test('an idle minute takes at most 4 calls, and no listing', async () => {
  await Promise.all(sizes.map(size => quiet(fleet(size))))
  for (const size of sizes) fleet(size).mine.http.reset()
  await sleep(60_000)
  for (const size of sizes) {
    const { calls, received } = fleet(size).mine.http
    console.log(`${size} VMs: an idle minute: ${calls.length} calls, ${received} bytes`)
    expect(calls.length).toBeLessThanOrEqual(4)
    expect(calls.map(({ method }) => method).filter(method => method !== 'WaitForUpdatesEx' && method !== 'CurrentTime')).toEqual([])
    expect(received).toBeLessThan(8 * kilobyte)
  }
}, 90_000)
