import { describe, expect, test } from 'vitest'
import { Bench } from '../testing/keeping-bench.ts'
import { Provisioner } from './provisioner.ts'
import { entry, started } from './testing/started-provisioner.ts'

describe('after a crash', () => {
  test(
    'at any moment, with the store or without, the next run has its numbers and leaves nothing half made',
    { timeout: 60_000 },
    async () => {
      for (let step = 0; step < 80; step++) {
        const bench = new Bench({
          seed: step,
          settings: { provisioning: [entry('debian12', 2), entry('debian13', 1, { flavor: 'large' })] },
        })
        const first = await bench.run()
        new Provisioner(first).start()
        await bench.clock.advance(step * 1_000)
        first.crash()
        if (step % 3 === 0) bench.store = bench.newStore()
        const run = await bench.run()
        const provisioner = new Provisioner(run)
        provisioner.start()
        await bench.pass(8)
        const state = {
          pools: provisioner.pools().map(({ ready, starting, inFlight, doomed }) => [ready, starting, inFlight, doomed]),
          off: bench.provisions().every(vm => vm.power === 'off'),
          neverOn: bench.provisions().filter(({ id }) => !bench.world.events(id).some(({ type }) => type === 'started')).length,
          records: (await bench.spawns()).length,
          conflicts: bench.world.addressConflicts(),
        }
        expect(state, `crash after ${step} s`).toEqual({
          pools: [
            [2, 0, 0, 0],
            [1, 0, 0, 0],
          ],
          off: true,
          neverOn: 0,
          records: 0,
          conflicts: [],
        })
        await provisioner.stop()
      }
    },
  )

  test('a VM that was switched off for the last time is not started again, only its record goes', async () => {
    const bench = new Bench({ settings: { provisioning: [entry('debian12', 1)] } })
    const { id } = bench.addVm('provision-v2-done', { provisioning: true, vmwareModelPath: 'debian12' })
    const run = await bench.run()
    const spec = { purpose: 'Provision', version: 2, model: 'debian12' } as const
    await run.records.write('provision-v2-done', spec, { phase: 'Stopping', vm: 'provision-v2-done', vmId: id })
    const provisioner = new Provisioner(run)
    provisioner.start()
    await bench.pass(2)
    expect([await bench.spawns(), bench.world.tasks()]).toEqual([[], []])
    expect(provisioner.pools()).toMatchObject([{ ready: 1 }])
    await provisioner.stop()
  })

  test('the record of a VM that is gone goes too, also if it was written anew and does not name its VM', async () => {
    const bench = new Bench({ settings: { provisioning: [entry('debian12', 1)] } })
    const run = await bench.run()
    const spec = { purpose: 'Provision', version: 2, model: 'debian12' } as const
    await run.records.write('provision-v2-gone', spec, { phase: 'TearingDown', vmId: 'vm-99' })
    const provisioner = new Provisioner(run)
    provisioner.start()
    await bench.pass(5)
    expect(await bench.spawns()).toEqual([])
    expect(provisioner.pools()).toMatchObject([{ ready: 1 }])
    await provisioner.stop()
  })

  test('a VM that runs and that nobody works on is finished: it gets its address and is switched off', async () => {
    const bench = new Bench({ settings: { provisioning: [entry('debian12', 1)] } })
    const { id } = bench.addVm('provision-v2-orphan', { provisioning: true, vmwareModelPath: 'debian12' })
    bench.world.switchPower(id, 'on')
    const provisioner = new Provisioner(await bench.run())
    provisioner.start()
    await bench.pass(2)
    expect(bench.world.find(id)?.vm.power).toBe('off')
    expect(provisioner.pools()).toMatchObject([{ ready: 1 }])
    await provisioner.stop()
  })

  test('a VM that runs and never gets its address is removed and replaced', async () => {
    const bench = new Bench({ settings: { provisioning: [entry('debian12', 1)] } })
    const { id } = bench.addVm('provision-v2-orphan', { provisioning: true, vmwareModelPath: 'debian12', ipAddress: '10.0.0.77' })
    bench.world.switchPower(id, 'on')
    const provisioner = new Provisioner(await bench.run())
    provisioner.start()
    await bench.pass(8)
    expect(bench.world.find(id)).toBeUndefined()
    expect(provisioner.pools()).toMatchObject([{ ready: 1 }])
    await provisioner.stop()
  })

  test('a VM that is half made cannot be claimed before it is whole', async () => {
    const bench = new Bench({ settings: { provisioning: [entry('debian12', 1)] } })
    const first = await bench.run()
    new Provisioner(first).start()
    for (let tries = 0; bench.provisions().length === 0 && tries < 600; tries++) await bench.clock.advance(100)
    first.crash()
    const run = await bench.run()
    const provisioner = new Provisioner(run)
    provisioner.start()
    await bench.clock.advance(1_000)
    expect([bench.provisions()[0]?.power, [...run.fleet.ready(2, 'debian12')]]).toEqual(['off', []])
    await bench.pass(2)
    expect([...run.fleet.ready(2, 'debian12')]).toHaveLength(1)
    await provisioner.stop()
  })

  test('a VM that was never on is not taken for ready, not even without its record: it is booted first', async () => {
    const bench = new Bench({ settings: { provisioning: [entry('debian12', 1)] } })
    const first = await bench.run()
    new Provisioner(first).start()
    for (let tries = 0; bench.provisions().length === 0 && tries < 600; tries++) await bench.clock.advance(100)
    first.crash()
    bench.store = bench.newStore()
    const [made] = bench.provisions()
    const run = await bench.run()
    const provisioner = new Provisioner(run)
    provisioner.start()
    await bench.clock.advance(1_000)
    expect([made?.power, [...run.fleet.ready(2, 'debian12')]]).toEqual(['off', []])
    await bench.pass(2)
    expect(Array.from(run.fleet.ready(2, 'debian12'), ({ vm }) => vm.id)).toEqual([made?.id])
    expect(bench.world.events(made!.id).map(({ type }) => type)).toEqual(['created', 'started', 'poweredOff'])
    await provisioner.stop()
  })

  test('a VM that has to be booted waits for room like any other, and says so', async () => {
    const bench = new Bench({ settings: { provisioning: [entry('debian12', 1)], maxCpus: 4 } })
    const half = bench.addVm('provision-v2-half', { provisioning: true, vmwareModelPath: 'debian12', created: undefined }, { cpus: 2 })
    const worker = bench.addVm('worker', {}, { power: 'on', cpus: 4 })
    const provisioner = new Provisioner(await bench.run())
    provisioner.start()
    await bench.pass(3)
    expect(bench.world.tasks()).toEqual([])
    expect(provisioner.pools()).toMatchObject([{ ready: 0, starting: 1, waits: { reason: 'LimitReached' } }])
    bench.world.switchPower(worker.id, 'off')
    await bench.pass(3)
    expect(provisioner.pools()).toMatchObject([{ ready: 1, starting: 0, waits: undefined }])
    expect(bench.provisions().map(({ id }) => id)).toEqual([half.id])
    await provisioner.stop()
  })

  test('a VM of the original that stands ready is taken as it is', async () => {
    const bench = new Bench({ settings: { provisioning: [entry('debian12', 1)] } })
    bench.addVm('provision-v2-original', { provisioning: true, vmwareModelPath: 'debian12' })
    const run = await bench.run()
    const provisioner = new Provisioner(run)
    provisioner.start()
    await bench.pass(2)
    expect(bench.world.tasks()).toEqual([])
    expect([...run.fleet.ready(2, 'debian12')]).toHaveLength(1)
    await provisioner.stop()
  })

  test('a stop leaves what is being made to the next run, which finishes the very same VMs', async () => {
    const { bench, provisioner } = await started({ settings: { provisioning: [entry('debian12', 3)] } })
    await bench.clock.advance(30_000)
    const stopped = provisioner.stop()
    await bench.clock.advance(100)
    await stopped
    const names = (await bench.spawns()).map(({ metadata }) => metadata.name).toSorted()
    expect(names).toHaveLength(3)
    const next = new Provisioner(await bench.run())
    next.start()
    await bench.pass(4)
    expect(
      bench
        .provisions()
        .map(vm => vm.name)
        .toSorted(),
    ).toEqual(names)
    await next.stop()
  })
})
