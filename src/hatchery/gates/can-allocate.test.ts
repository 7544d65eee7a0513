import { describe, expect, test } from 'vitest'
import { flavors } from '../../platform/index.ts'
import { aV1Model, aV2Model, GateWorld } from '../testing/gate-world.ts'

const sizes = flavors([
  { name: 'small', cpus: 2, memoryMB: 4096 },
  { name: 'medium', cpus: 4, memoryMB: 8192 },
  { name: 'large', cpus: 8, memoryMB: 16384 },
  { name: 'xlarge', cpus: 16, memoryMB: 32768 },
])

const poolWith = (mhz: number, memoryMB: number) => ({
  cpuMHz: { limit: undefined, unreserved: mhz, used: 0 },
  memoryMB: { limit: undefined, unreserved: memoryMB, used: 0 },
})

const asks = (flavor: string) => ({ runsOn: { model: 'debian', flavor } })

describe('the four strategies of an operator', () => {
  const strategies = {
    'count only': { maxWorker: 10, maxCpus: 0, maxMemoryMB: 0 },
    'resource pool only': { maxWorker: 0, maxCpus: 0, maxMemoryMB: 0 },
    resources: { maxWorker: 0, maxCpus: 64, maxMemoryMB: 131_072 },
    'belt and suspenders': { maxWorker: 20, maxCpus: 64, maxMemoryMB: 131_072 },
  }
  const cases: { strategy: keyof typeof strategies; workers: number; cpusEach: number; poolMB?: number; says: string }[] = [
    { strategy: 'count only', workers: 9, cpusEach: 32, says: 'go' },
    { strategy: 'count only', workers: 10, cpusEach: 1, says: 'MaxWorkerReached' },
    { strategy: 'count only', workers: 1, cpusEach: 1, poolMB: 1000, says: 'ResourcePoolFull' },
    { strategy: 'resource pool only', workers: 200, cpusEach: 32, says: 'go' },
    { strategy: 'resource pool only', workers: 1, cpusEach: 1, poolMB: 1000, says: 'ResourcePoolFull' },
    { strategy: 'resources', workers: 31, cpusEach: 2, says: 'go' },
    { strategy: 'resources', workers: 32, cpusEach: 2, says: 'MaxCpusReached' },
    { strategy: 'resources', workers: 1, cpusEach: 1, poolMB: 1000, says: 'ResourcePoolFull' },
    { strategy: 'belt and suspenders', workers: 19, cpusEach: 2, says: 'go' },
    { strategy: 'belt and suspenders', workers: 20, cpusEach: 2, says: 'MaxWorkerReached' },
    { strategy: 'belt and suspenders', workers: 16, cpusEach: 4, says: 'MaxCpusReached' },
    { strategy: 'belt and suspenders', workers: 1, cpusEach: 1, poolMB: 1000, says: 'ResourcePoolFull' },
  ]
  test.each(cases)(
    '$strategy: $workers workers of $cpusEach vCPUs, then $says',
    async ({ strategy, workers, cpusEach, poolMB = 1e9, says }) => {
      const { maxWorker, ...limits } = strategies[strategy]
      const world = new GateWorld({ settings: limits, provision: { maxWorker } })
      for (let number = 0; number < workers; number++) {
        world.vm({ name: `w${number}`, cpus: cpusEach, memoryMB: 1024, note: {} })
        world.register(`w${number}`)
      }
      world.capacity = poolWith(1000, poolMB)
      expect(await world.verdict(world.v2Job('1', asks('small')))).toBe(says)
    },
  )
})

describe('what a worker will take', () => {
  const used = async (world: GateWorld, job = world.v2Job('1', asks('')), size = 'nothing') => {
    const verdict = await world.decide(job)
    return verdict.kind === 'go' ? `${verdict.plan.size.cpus}/${verdict.plan.size.memoryMB}` : `${size} ${verdict.kind}`
  }

  test('is what its flavor says, in any spelling', async () => {
    const world = new GateWorld()
    expect(await used(world, world.v2Job('1', asks('LARGE')))).toBe('8/16384')
  })

  test('without a flavor, what the template of the image has, with a note or without', async () => {
    const world = new GateWorld()
    world.vm({ name: 'debian12', template: true, cpus: 3, memoryMB: 3000 })
    expect(await used(world)).toBe('3/3000')
  })

  test('for a V1 model, what the template of the model has, which bears the model’s name', async () => {
    const world = new GateWorld()
    world.vm({ name: 'debian12', template: true, cpus: 3, memoryMB: 3000 })
    world.modelTemplate(aV1Model(), { cpus: 5, memoryMB: 5000 })
    world.v1Model()
    expect(await used(world, world.v1Job('1'))).toBe('5/5000')
  })

  test('not known without flavor and template: limits still hold for what is there', async () => {
    const world = new GateWorld({ settings: { maxCpus: 4 } })
    expect(await used(world)).toBe('0/0')
    world.vm({ name: 'huge', cpus: 5, note: {} })
    expect(await world.verdict(world.v2Job('2', asks('')))).toBe('MaxCpusReached')
  })

  test('with a flavor that nobody knows, what the template has: the job goes on, and the spawn says what is wrong', async () => {
    const world = new GateWorld()
    world.vm({ name: 'debian12', template: true, cpus: 3, memoryMB: 3000 })
    world.provision('provision-v2-a')
    const verdict = await world.decide(world.v2Job('1', asks('gigantic')))
    expect(verdict).toMatchObject({
      kind: 'go',
      plan: { flavor: undefined, unknownFlavor: 'gigantic', size: { cpus: 3 } },
      undertaking: { vmId: undefined },
    })
  })
})

describe('limits of the configuration', () => {
  test.each([
    { usedCpus: 56, usedMB: 0, says: 'go' },
    { usedCpus: 57, usedMB: 0, says: 'MaxCpusReached' },
    { usedCpus: 0, usedMB: 114_688, says: 'go' },
    { usedCpus: 0, usedMB: 114_689, says: 'MaxMemoryReached' },
  ])('$usedCpus of 64 vCPUs and $usedMB of 131072 MB in use: a large one, $says', async ({ usedCpus, usedMB, says }) => {
    const world = new GateWorld({ settings: { maxCpus: 64, maxMemoryMB: 131_072 } })
    world.vm({ name: 'w', cpus: usedCpus, memoryMB: usedMB, note: {} })
    expect(await world.verdict(world.v2Job('1', asks('large')))).toBe(says)
  })

  test('numbers are in the message', async () => {
    const world = new GateWorld({ settings: { maxCpus: 64 } })
    world.vm({ name: 'w', cpus: 60, note: {} })
    expect(await world.decide(world.v2Job('1', asks('large')))).toMatchObject({
      refusal: {
        gate: 'Resources',
        message: '8 vCPUs are wanted, 60 of 64 are in use',
        unblock: expect.stringContaining('maxCpus above 64'),
      },
    })
  })

  test.each([
    { settings: { maxCpus: 4 }, unblock: 'raise maxCpus from 4 to 8 or more' },
    { settings: { maxMemoryMB: 8192 }, unblock: 'raise maxMemoryMB from 8192 to 16384 or more' },
    { settings: { flavors: sizes, maxCpus: 10, countSmallerFlavorToKeep: 2 }, unblock: 'raise maxCpus from 10 to 12 or more' },
  ])('a job that would never fit is not told to wait: $unblock', async ({ settings, unblock }) => {
    const world = new GateWorld({ settings })
    const verdict = await world.decide(world.v2Job('1', asks('large')))
    expect(verdict).toMatchObject({ refusal: { unblock: expect.stringMatching(new RegExp(`^waiting does not help: ${unblock}`)) } })
  })

  test('VMs that stand ready and are off do not count', async () => {
    const world = new GateWorld({ settings: { maxCpus: 8 } })
    for (let number = 0; number < 10; number++) world.provision(`provision-v2-${number}`, 'debian12', { cpus: 4 })
    expect(await world.verdict(world.v2Job('1', asks('large')))).toBe('go')
  })
})

describe('room for smaller flavors', () => {
  test.each([
    { flavor: 'large', smallest: 2 },
    { flavor: 'xlarge', smallest: 2 },
    { flavor: 'medium', smallest: 2 },
    { flavor: 'small', smallest: undefined },
  ])('the smallest below $flavor has $smallest vCPUs', ({ flavor, smallest }) => {
    expect(sizes.smallerCpus(sizes.get(flavor))).toBe(smallest)
  })

  test.each([
    { asks: 'large', used: 52, keeps: 2, maxCpus: 64, says: 'go' },
    { asks: 'large', used: 53, keeps: 2, maxCpus: 64, says: 'KeptForSmallerFlavors' },
    { asks: 'large', used: 57, keeps: 2, maxCpus: 64, says: 'MaxCpusReached' },
    { asks: 'large', used: 56, keeps: 0, maxCpus: 64, says: 'go' },
    { asks: 'small', used: 62, keeps: 2, maxCpus: 64, says: 'go' },
    { asks: '', used: 62, keeps: 2, maxCpus: 64, says: 'go' },
    // Of a flavor that nobody knows no other is smaller.
    { asks: 'gigantic', used: 62, keeps: 2, maxCpus: 64, says: 'go' },
    { asks: 'large', used: 500, keeps: 2, maxCpus: 0, says: 'go' },
  ])('"$asks" with $used of $maxCpus in use and $keeps to keep: $says', async ({ asks: flavor, used, keeps, maxCpus, says }) => {
    const world = new GateWorld({ settings: { flavors: sizes, countSmallerFlavorToKeep: keeps, maxCpus } })
    world.vm({ name: 'w', cpus: used, note: {} })
    expect(await world.verdict(world.v2Job('1', asks(flavor)))).toBe(says)
  })

  test('a model’s own flavor and the default are held to it as well', async () => {
    const world = new GateWorld({ settings: { flavors: sizes, countSmallerFlavorToKeep: 2, maxCpus: 64, defaultFlavor: 'large' } })
    world.vm({ name: 'w', cpus: 53, note: {} })
    expect(await world.verdict(world.v2Job('1', asks('')))).toBe('KeptForSmallerFlavors')
    expect(await world.verdict(world.v2Job('2', { model: aV2Model({ flavor: 'small' }) }))).toBe('go')
  })
})

describe('the resource pool', () => {
  test.each([
    { mhz: 1, memoryMB: 16_384, says: 'go' },
    { mhz: 0, memoryMB: 16_384, says: 'ResourcePoolFull' },
    { mhz: 1, memoryMB: 16_383, says: 'ResourcePoolFull' },
  ])('with $mhz MHz and $memoryMB MB left: a large one, $says', async ({ mhz, memoryMB, says }) => {
    const world = new GateWorld()
    world.capacity = poolWith(mhz, memoryMB)
    expect(await world.verdict(world.v2Job('1', asks('large')))).toBe(says)
  })

  test('is charged with what is under way and does not show there yet', async () => {
    const world = new GateWorld()
    world.capacity = poolWith(1000, 20_000)
    expect(await world.verdict(world.v2Job('1', asks('large')))).toBe('go')
    expect(await world.decide(world.v2Job('2', asks('small')))).toMatchObject({
      refusal: { reason: 'ResourcePoolFull', message: expect.stringContaining('16384 MB are for VMs that are being started') },
    })
  })

  test('that cannot be asked is passed over with one warning; limits of the configuration hold', async () => {
    const world = new GateWorld({ settings: { maxCpus: 8 } })
    world.capacity = undefined
    expect(await world.verdict(world.v2Job('1', asks('large')))).toBe('go')
    expect(await world.verdict(world.v2Job('2', asks('small')))).toBe('MaxCpusReached')
    expect(world.log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
  })
})
