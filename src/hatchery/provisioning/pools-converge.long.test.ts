import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededChance } from '../../ports/index.ts'
import { Cleaner } from '../cleanup/cleaner.ts'
import { readWorkerNote, writeWorkerNote } from '../fleet/worker-note.ts'
import type { ProvisioningEntry } from '../settings.ts'
import { Bench, type Run } from '../testing/keeping-bench.ts'
import { Provisioner } from './provisioner.ts'

/** Everything that may happen to a hatchery that keeps VMs ready. */
const event = fc.oneof(
  fc.record({ what: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 90 }) }),
  fc.record({ what: fc.constant('claim' as const), model: fc.constantFrom('debian12', 'debian13') }),
  fc.record({ what: fc.constant('configure' as const), numbers: fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 3 })) }),
  fc.record({ what: fc.constant('crash' as const), losesStore: fc.boolean() }),
  fc.record({ what: fc.constant('remove' as const), which: fc.nat(10) }),
  fc.record({ what: fc.constant('switchOn' as const), which: fc.nat(10) }),
  fc.record({ what: fc.constant('away' as const), seconds: fc.integer({ min: 1, max: 120 }) }),
  fc.record({ what: fc.constant('expire' as const) }),
  fc.record({ what: fc.constant('stuck' as const), operation: fc.constantFrom('clone', 'powerOn', 'powerOff', 'destroy') }),
)

type Happening = typeof event extends fc.Arbitrary<infer E> ? E : never

function entries([one, two]: readonly [number, number], flavor: string | undefined): readonly ProvisioningEntry[] {
  return [
    { version: 2, model: 'debian12', number: one, flavor: undefined },
    { version: 2, model: 'debian13', number: two, flavor },
  ]
}

/** One life of the program after another. */
class Story {
  readonly bench: Bench
  /** Addresses that two VMs had at a time. */
  readonly conflicts: string[] = []
  #life: { readonly run: Run; readonly provisioner: Provisioner; readonly cleaner: Cleaner } | undefined
  #jobs = 0

  constructor(seed: number, poolSize: number) {
    this.bench = new Bench({ seed, settings: { provisioning: entries([2, 1], 'large'), provisioningPoolSize: poolSize } })
    this.bench.world.faults.atRandom(seededChance(`${seed} faults`), { before: 0.03, after: 0.03, hang: 0.01 })
  }

  get pools() {
    return this.#life!.provisioner.pools()
  }

  async begin(): Promise<void> {
    const run = await this.bench.run()
    const provisioner = new Provisioner(run)
    const cleaner = new Cleaner({ ...run, onRemoved: () => provisioner.request() })
    provisioner.start()
    cleaner.start()
    this.#life = { run, provisioner, cleaner }
  }

  async happens(happening: Happening): Promise<void> {
    const { bench } = this
    switch (happening.what) {
      case 'pass':
        return await this.pass(happening.seconds)
      case 'claim':
        return this.#claim(happening.model)
      case 'configure':
        bench.settings = { ...bench.settings, provisioning: entries(happening.numbers, 'large') }
        return await this.#restart()
      case 'crash':
        if (happening.losesStore) bench.store = bench.newStore()
        return await this.#restart()
      case 'remove':
        return this.#some(happening.which, id => bench.world.removeVm(id))
      case 'switchOn':
        return this.#some(happening.which, id => void bench.world.switchPower(id, 'on'))
      case 'away':
        bench.world.setReachable(false)
        await this.pass(happening.seconds)
        return bench.world.setReachable(true)
      case 'expire':
        return bench.world.expireSessions()
      case 'stuck':
        return bench.world.slowNext(happening.operation, 40 * 60_000)
    }
  }

  /** Moves time on, and looks all the while whether two VMs have one address. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 5) {
      await this.bench.clock.advance(5_000)
      this.conflicts.push(...this.bench.world.addressConflicts())
    }
  }

  end(): void {
    this.#life?.run.crash()
  }

  async #restart(): Promise<void> {
    this.end()
    await this.begin()
  }

  #some(which: number, act: (id: string) => void): void {
    const vms = this.bench.provisions()
    const vm = vms[which % Math.max(1, vms.length)]
    if (vm !== undefined) act(vm.id)
  }

  /** A job takes a VM, as the spawner does; its worker never registers. */
  #claim(model: string): void {
    const { run, provisioner } = this.#life!
    const { fleet, underWay, platform, clock } = run
    if (platform.inventory.state.kind !== 'live') return
    const [ready] = fleet.ready(2, model)
    if (ready === undefined) return
    const { vm, note } = ready
    const worker = `worker-${++this.#jobs}`
    const undertaking = underWay.begin({
      purpose: 'Job',
      jobId: worker,
      vmName: worker,
      vmId: vm.id,
      size: { cpus: 0, memoryMB: 0 },
      model: '',
    })
    const annotation = writeWorkerNote({ ...note, workerName: worker, provisioning: false, jobId: worker, workerStartTime: clock.now() })
    const { signal } = new AbortController()
    platform
      .claim({ id: vm.id, expectedName: vm.name, name: worker, annotation }, signal)
      .then(() => platform.powerOn(vm.id, signal))
      .catch(() => underWay.doomed.add(vm.id))
      .finally(() => {
        undertaking[Symbol.dispose]()
        provisioner.request()
      })
  }
}

test(
  'whatever happens, pools come to have their numbers, and no VM of the hatchery is left that nobody takes care of',
  { timeout: 120_000 },
  async () => {
    const stories = fc.tuple(fc.integer(), fc.constantFrom(0, 1, 3), fc.array(event, { minLength: 3, maxLength: 14 }))
    await fc.assert(
      fc.asyncProperty(stories, async ([seed, poolSize, happenings]) => {
        const story = new Story(seed, poolSize)
        await story.begin()
        for (const happening of happenings) await story.happens(happening)
        const { bench } = story
        bench.world.faults.none()
        await story.pass(75 * 60)
        const wanted = bench.settings.provisioning.map(({ number }) => number)
        expect({
          pools: story.pools.map(({ ready, starting, doomed, inFlight }) => [ready, starting, doomed, inFlight]),
          vms: bench
            .provisions()
            .map(vm => vm.power)
            .filter(power => power !== 'off'),
          sizes: bench.provisions().filter(vm => readWorkerNote(vm)?.flavor === 'large' && vm.cpus !== 8).length,
          conflicts: story.conflicts,
          others: bench.others().map(vm => vm.name),
          records: (await bench.spawns()).map(({ metadata }) => metadata.name),
        }).toEqual({ pools: wanted.map(number => [number, 0, 0, 0]), vms: [], sizes: 0, conflicts: [], others: [], records: [] })
        story.end()
      }),
      { numRuns: 60 },
    )
  },
)
