import { expect, test } from 'vitest'
import { addressNetwork } from '../platform/index.ts'
import { seededChance } from '../ports/index.ts'
import { HatcheryWorld, type ProgramRun } from './testing/hatchery-world.ts'

const nothingWrong = { onTwoWorkers: [], startedAgain: [], resurrected: [] }

/** How rough an hour is. */
interface Weather {
  readonly faults: number
  readonly crashes: number
  readonly outages: boolean
}

/**
 * An hour of jobs of both sorts, with VMs that stand ready, in any weather. In the end everything that was asked for is done or given
 * up for a reason, and nothing is left: no worker, no VM but those that stand ready, no taken job, no record, no address twice.
 */
async function hour(seed: number, { faults, crashes, outages }: Weather): Promise<HatcheryWorld> {
  const chance = seededChance(`hour ${seed}`)
  const world = new HatcheryWorld({
    seed,
    settings: {
      networks: [addressNetwork({ name: 'workers', ranges: '10.0.0.0/24' })],
      provisioning: [{ version: 2, model: 'debian12', number: 3, flavor: undefined }],
      provisioningPoolSize: 2,
      killAwolInterval: 60_000,
    },
    provision: { maxWorker: 8 },
  })
  world.addV1Model()
  let run: ProgramRun = await world.start()
  const rates = { before: faults / 3, after: faults / 3, hang: faults / 3 }
  if (faults > 0) world.vcenter.faults.atRandom(seededChance(`vcenter ${seed}`), rates)
  world.cdsFaults = faults
  if (outages) {
    const at = (minute: number, act: () => void) => world.clock.after(minute * 60_000, act)
    at(12, () => (world.cdsAway = true))
    at(14, () => (world.cdsAway = false))
    at(20, () => world.vcenter.setReachable(false))
    at(23, () => world.vcenter.setReachable(true))
    at(30, () => world.vcenter.expireSessions())
    at(31, () => world.cds.endHatcherySessions())
  }
  const jobs: { readonly status: string }[] = []
  for (let minute = 0; minute < 60; minute++) {
    for (let count = chance.integer(0, 3); count > 0 && minute < 40; count--) {
      jobs.push(chance.fraction() < 0.3 ? world.addV1Job() : world.addJob({ flavor: chance.pick(['', 'small', 'large']) }))
    }
    if (chance.fraction() < crashes) {
      await world.seconds(chance.integer(0, 50))
      run.crash()
      await world.seconds(chance.integer(1, 60))
      run = await world.start()
    }
    expect(world.vcenter.addressConflicts()).toEqual([])
    await world.minutes(1)
  }
  world.vcenter.faults.none()
  world.cdsFaults = 0
  const isOver = ({ status }: { readonly status: string }) => ['Success', 'Fail', 'Stopped'].includes(status)
  await world.until(() => jobs.every(isOver), 3 * 3_600)
  await world.until(
    () => world.vms().length === 3 && world.vms().every(({ name, power }) => name.startsWith('provision-') && power === 'off'),
    3_600,
  )
  await world.until(async () => (await world.spawns()).length === 0, 3_600)
  expect(world.cds.wrongs()).toMatchObject(nothingWrong)
  expect(world.cds.heldJobs()).toEqual([])
  expect(world.vcenter.addressConflicts()).toEqual([])
  expect(jobs.length).toBeGreaterThan(20)
  await world.stop(run)
  return world
}

test('an hour of jobs: all of them succeed', async () => {
  const world = await hour(1, { faults: 0, crashes: 0, outages: false })
  expect(world.cds.jobsV2().every(({ status }) => status === 'Success')).toBe(true)
  expect(world.cds.jobsV1().every(({ status }) => status === 'Success')).toBe(true)
  expect(world.cds.wrongs().takenFromWorker).toEqual([])
})

test.each([1, 2, 3])('an hour of jobs while calls fail, CDS and vCenter are away and the program crashes (seed %i)', async seed => {
  const world = await hour(seed, { faults: 0.05, crashes: 0.15, outages: true })
  const ended = world.cds.jobsV2().filter(({ status }) => status === 'Success')
  expect(ended.length).toBeGreaterThan(0.8 * world.cds.jobsV2().length)
})
