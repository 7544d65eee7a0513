import { describe, expect, test } from 'vitest'
import { flavors } from '../../platform/index.ts'
import { HatcheryWorld } from '../testing/hatchery-world.ts'

const templates = [{ name: 'debian12', cpus: 2, memoryMB: 4096, diskGB: 20 }]

/** A world with a flavor `roomy` that has so large a disk, and its one VM that stands ready, of this flavor or of none. */
async function withDisk(diskSizeGB: number, pinned?: 'roomy') {
  const provisioning = [{ version: 2 as const, model: 'debian12', number: 1, flavor: pinned }]
  const settings = { provisioning, flavors: flavors([{ name: 'roomy', cpus: 2, memoryMB: 4096, diskSizeGB }]) }
  const world = new HatcheryWorld({ settings, world: { templates } })
  const { hatchery } = await world.start()
  await world.until(() => hatchery.pools()[0]?.ready === 1)
  const diskOf = (name: string) => world.vcenter.find(world.vcenter.byName(name)!.id)?.disk.sizeGB
  return { world, ready: world.vms()[0]!, diskOf }
}

describe('a flavor with a disk of its own', () => {
  test('gets a clone if the VM that stands ready hangs on its template’s disk; that one stays as it is', async () => {
    const { world, ready, diskOf } = await withDisk(100)
    const job = world.addJob({ flavor: 'roomy' })
    await world.until(() => job.status === 'Building')
    expect([world.vcenter.byName(job.worker)?.id === ready.id, diskOf(job.worker)]).toEqual([false, 100])
    expect(world.vcenter.find(ready.id)?.vm).toMatchObject({ name: ready.name, annotation: ready.annotation, power: 'off' })
    expect(world.told(job)[1]).toContain('will use flavor "roomy" (2 vCPUs, 4096 MB RAM, 100 GB disk)')
    const next = world.addJob()
    await world.until(() => next.status === 'Building')
    expect(world.vcenter.byName(next.worker)?.id).toBe(ready.id)
  })

  test('takes a VM that was made for it, as large as it was made', async () => {
    const { world, ready, diskOf } = await withDisk(100, 'roomy')
    const job = world.addJob({ flavor: 'roomy' })
    await world.until(() => job.status === 'Building')
    expect([world.vcenter.byName(job.worker)?.id, diskOf(job.worker)]).toEqual([ready.id, 100])
  })

  test('never makes one smaller, and says so', async () => {
    const { world, ready, diskOf } = await withDisk(10)
    const job = world.addJob({ flavor: 'roomy' })
    await world.until(() => job.status === 'Building')
    expect([world.vcenter.byName(job.worker)?.id, diskOf(job.worker)]).toEqual([ready.id, 20])
    const said = world.log.lines.filter(({ message }) => message.startsWith('a flavor asks for a smaller disk than its VM has'))
    expect(said).toMatchObject([{ level: 'warn', fields: { worker: job.worker, has: 20, wanted: 10 } }])
  })
})
