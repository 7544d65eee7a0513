import { expect, test } from 'vitest'
import { HatcheryWorld } from '../testing/hatchery-world.ts'

/** What the platform is asked about one VM until its job is told that no worker could be started. */
async function askedUntilFailure(world: HatcheryWorld): Promise<readonly string[]> {
  const calls: string[] = []
  await world.start(world.begin(call => calls.push(call)))
  const job = world.addJob()
  await world.until(() => world.vms().length === 1)
  const [vm] = world.vms()
  await world.until(() => world.told(job).some(line => line.startsWith('error')))
  const asked = calls.filter(call => call.endsWith(` ${vm!.id}`)).map(call => call.split(' ')[0] ?? '')
  return asked.slice(0, asked.indexOf('destroy') < 0 ? asked.length : asked.indexOf('destroy'))
}

test('a guest that refuses the login is asked every ten seconds for a minute, lest it locks the account', async () => {
  const login = { user: 'root', password: 'another' }
  const asked = await askedUntilFailure(new HatcheryWorld({ world: { templates: [{ name: 'debian12', login }] } }))
  const probes = asked.filter(call => call === 'runInGuest').length
  expect(probes).toBeGreaterThan(3)
  expect(probes).toBeLessThanOrEqual(7)
})

test.each(['no tools', 'no address'] as const)('a guest with %s is waited for, and not asked again and again', async sick => {
  const asked = await askedUntilFailure(new HatcheryWorld({ world: { templates: [{ name: 'debian12', sick }] } }))
  expect(asked.filter(call => call.startsWith('waitFor')).length).toBeGreaterThan(0)
  expect(asked.length).toBeLessThan(10)
  expect(asked).not.toContain('runInGuest')
})
