import { expect, test } from 'vitest'
import { HatcheryWorld } from '../testing/hatchery-world.ts'

test('a power-on that twice does not get through is asked for a third time, and the VM starts once', async () => {
  const world = new HatcheryWorld()
  await world.start()
  for (let times = 0; times < 2; times++) world.vcenter.faults.cutNext('powerOn', 'before')
  const job = world.addJob()
  await world.until(() => job.status === 'Success')
  expect(world.told(job).filter(line => line.startsWith('error'))).toEqual([])
  expect(world.vcenter.tasks().filter(({ operation }) => operation === 'powerOn')).toHaveLength(1)
})

test('a power-on that can never succeed ends the attempt: whoever watches the job reads why, and the VM goes', async () => {
  // The pool has room for it, but no single host.
  const hosts = ['one', 'other'].map(name => ({ name, cpus: 16, memoryMB: 3_000 }))
  const world = new HatcheryWorld({ world: { hosts } })
  await world.start()
  const job = world.addJob()
  const began = world.clock.now()
  await world.until(() => world.told(job).some(line => line.startsWith('error')))
  expect(world.clock.now() - began).toBeLessThan(10 * 60_000)
  await world.until(() => job.status === 'Waiting' && world.vms().length === 0, 120)
  expect(world.cds.heldJobs()).toEqual([])
})
