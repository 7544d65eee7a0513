import { expect, test } from 'vitest'
import { allKinds } from '../../../src/kinds/index.ts'
import { httpClient, prometheusMetrics, realChance, realClock, Secret, silentLog } from '../../../src/ports/index.ts'
import { VspherePlatforms } from '../../../src/server/testing/vsphere-platforms.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { startVcsim } from '../peer.ts'
import { connectTo, never, thumbprintOf } from './vcenter.ts'
import { makeTemplate } from './vcsim-world.ts'

test('two services on one vCenter share a session, see what each other does, and leave nothing behind', async () => {
  const sim = await startVcsim({ vms: 2, cloneMs: 50, taskMs: 20 })
  try {
    const other = await connectTo(sim)
    const template = await makeTemplate(other)
    await other[Symbol.asyncDispose]()
    const [clock, chance] = [realClock(), realChance()]
    const metrics = prometheusMetrics()
    const ports = { clock, chance, log: silentLog, metrics, http: (trust: object) => httpClient({ clock, trust }) }
    const platforms = new VspherePlatforms({ ports, store: memoryStore({ kinds: allKinds, clock, chance }), limits: { total: 1 } })
    const settings = {
      url: sim.url,
      user: sim.user,
      password: new Secret(sim.password),
      trust: { thumbprint: await thumbprintOf(sim.url) },
    }
    const hatchery = platforms.platformFor({ ...settings, datastore: 'LocalDS_0' }, 'hatchery')
    const pools = platforms.platformFor({ ...settings, resourcePool: 'Resources', datacenter: 'DC0' }, 'pools')
    const request = (name: string) => ({ name, annotation: name, template, isOurs: (vm: { annotation: string }) => vm.annotation === name })
    await Promise.all([hatchery.inventory.whenLive(never), pools.inventory.whenLive(never)])
    const made = await Promise.all([hatchery.clone(request('one'), never), pools.clone(request('two'), never)])
    await expect.poll(() => pools.inventory.byName('one').length, { timeout: 10_000 }).toBe(1)
    expect(made.map(({ name }) => name)).toEqual(['one', 'two'])
    expect((await sim.state()).sessions).toBe(1)
    expect(await metrics.text()).toMatch(/aviary_platform_call_seconds_count\{.*operation="clone",outcome="ok".*\} 2/)
    await platforms[Symbol.asyncDispose]()
    expect(await sim.state()).toMatchObject({ sessions: 0, filters: 0, views: 0 })
  } finally {
    await sim.stop()
  }
})
