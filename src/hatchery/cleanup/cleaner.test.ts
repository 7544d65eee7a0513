import { describe, expect, test } from 'vitest'
import { Bench } from '../testing/keeping-bench.ts'
import { v1Model } from '../testing/scripted-cds.ts'
import { Cleaner } from './cleaner.ts'
import { prepared } from './testing/prepared-cleaner.ts'

const minute = 60_000
const job = '6f1c2c52-7f3e-4c57-9b7e-0d8f6a3b1c11'
const never = new AbortController().signal

describe('a worker that says when it started', () => {
  test.each([
    { power: 'off', registered: true, minutes: 1, kept: false },
    { power: 'off', registered: false, minutes: 2, kept: true },
    { power: 'off', registered: false, minutes: 4, kept: false },
    { power: 'on', registered: true, minutes: 110, kept: true },
    { power: 'on', registered: true, minutes: 121, kept: false },
    { power: 'on', registered: false, minutes: 8, kept: true },
    { power: 'on', registered: false, minutes: 11, kept: false },
  ] as const)('$minutes min ago, powered $power, registered: $registered, is kept: $kept', async row => {
    const { bench, killAwol, isThere } = await prepared((outside, now) => {
      outside.addVm('worker', { workerStartTime: now - row.minutes * minute }, { power: row.power })
    })
    if (row.registered) bench.cds.register('worker')
    await killAwol()
    expect(isThere('worker')).toBe(row.kept)
  })

  test('counts as registered whichever list it is in', async () => {
    const { bench, killAwol, isThere } = await prepared((outside, now) => {
      for (const name of ['one', 'two']) outside.addVm(name, { workerStartTime: now - 30 * minute }, { power: 'on' })
    })
    bench.cds.register('one', { version: 1 })
    bench.cds.register('two', { version: 2 })
    await killAwol()
    expect([isThere('one'), isThere('two')]).toEqual([true, true])
  })
})

describe('a worker of an older hatchery, which does not say when it started', () => {
  /** Lets the world make the events, at their times before now. */
  async function lived(events: readonly (readonly [minutesAgo: number, what: 'on' | 'off' | 'rename'])[], registered: boolean) {
    const bench = new Bench()
    await bench.pass(600)
    const start = bench.clock.now()
    const { id } = bench.addVm(events.some(([, what]) => what === 'rename') ? 'provision-v2-old' : 'worker', {
      created: start - 500 * minute,
    })
    for (const [minutesAgo, what] of events) {
      await bench.clock.advance(start + 600 * minute - minutesAgo * minute - bench.clock.now())
      if (what === 'rename') bench.world.changeVm(id, { name: 'worker' })
      else bench.world.switchPower(id, what)
    }
    await bench.clock.advance(start + 600 * minute - bench.clock.now())
    if (registered) bench.cds.register('worker')
    const run = await bench.run()
    await bench.clock.advance(1_000)
    const pass = new Cleaner(run).killAwol(never)
    await bench.pass(10)
    await pass
    return bench.world.byName('worker') !== undefined
  }

  test.each([
    { name: 'renamed lately, never started', events: [[8, 'rename']], registered: false, kept: true },
    {
      name: 'renamed long ago, never started',
      events: [
        [20, 'on'],
        [19, 'off'],
        [11, 'rename'],
      ],
      registered: false,
      kept: false,
    },
    { name: 'started lately', events: [[8, 'on']], registered: false, kept: true },
    { name: 'started long ago', events: [[11, 'on']], registered: false, kept: false },
    { name: 'started long ago and registered', events: [[110, 'on']], registered: true, kept: true },
    { name: 'started too long ago and registered', events: [[121, 'on']], registered: true, kept: false },
    {
      name: 'finished',
      events: [
        [5, 'on'],
        [1, 'off'],
      ],
      registered: false,
      kept: false,
    },
    {
      name: 'off but still registered',
      events: [
        [5, 'on'],
        [1, 'off'],
      ],
      registered: true,
      kept: true,
    },
    {
      name: 'used after it stood ready',
      events: [
        [300, 'on'],
        [299, 'off'],
        [6, 'rename'],
        [5, 'on'],
      ],
      registered: false,
      kept: true,
    },
  ] as const)('$name, registered: $registered, is kept: $kept', async ({ events, registered, kept }) => {
    expect(await lived(events, registered)).toBe(kept)
  })

  test('goes by when it was made if its events are gone', async () => {
    const { killAwol, isThere } = await prepared((outside, now) => {
      outside.addVm('old', { created: now - 500 * minute })
      outside.addVm('young', { created: now - 2 * minute })
    })
    await killAwol()
    expect([isThere('old'), isThere('young')]).toEqual([false, true])
  })

  test('is kept if its events cannot be read: that is not the same as none', async () => {
    const { bench, killAwol, isThere, run } = await prepared((outside, now) => {
      outside.addVm('unread', { created: now - 500 * minute }, { power: 'on' })
      outside.addVm('other', { workerStartTime: now - 500 * minute }, { power: 'on' })
    })
    for (let times = 0; times < 10; times++) bench.world.faults.cutNext('events', 'before')
    await killAwol()
    expect([isThere('unread'), isThere('other')]).toEqual([true, false])
    expect(run.log.lines.some(line => line.message.includes('could not be read'))).toBe(true)
  })

  test('of which nothing tells its age is counted from when it was first seen', async () => {
    const { bench, killAwol, isThere } = await prepared(outside => void outside.addVm('ageless', { created: undefined }, { power: 'on' }))
    await killAwol()
    expect(isThere('ageless')).toBe(true)
    await bench.pass(1)
    await killAwol()
    expect(isThere('ageless')).toBe(false)
  })
})

describe('what is never removed', () => {
  const long = 10_000 * minute

  test('VMs of others, templates, templates in the making, VMs that stand ready', async () => {
    const names = ['other', 'template', 'template-tmp', 'provision-v2-a', 'provision-v1-b', 'plain']
    const { bench, killAwol, isThere } = await prepared((outside, now) => {
      const workerStartTime = now - long
      outside.addVm('other', { hatcheryName: 'another', workerStartTime }, { power: 'on' })
      outside.addVm('template', { model: true }, { template: true })
      outside.addVm('template-tmp', { model: true, created: now - long })
      outside.addVm('provision-v2-a', { provisioning: true, vmwareModelPath: 'debian12', created: now - long })
      outside.addVm('provision-v1-b', { provisioning: true, workerModelPath: 'shared.infra/debian', created: now - long })
      outside.world.addVm({ name: 'plain', power: 'on' })
    })
    await killAwol()
    expect(names.filter(name => !isThere(name))).toEqual([])
    expect(bench.world.tasks()).toEqual([])
  })

  test('VMs that this program works on, even marked ones', async () => {
    const { run, killAwol, isThere } = await prepared((outside, now) => {
      outside.addVm('starting', { workerStartTime: now - long }, { power: 'on' })
      outside.addVm('going', { workerStartTime: now - long }, { power: 'on' })
    })
    const [starting, going] = ['starting', 'going'].map(name => run.fleet.ownNamed(name)!.vm)
    const size = { cpus: 2, memoryMB: 4096 }
    run.underWay.begin({ purpose: 'Job', jobId: job, vmName: 'starting', vmId: starting!.id, size, model: '' })
    run.underWay.begin({ purpose: 'Job', jobId: 'other', vmName: 'going', vmId: going!.id, size, model: '' })
    run.underWay.doomed.add(going!.id)
    await killAwol()
    expect([isThere('starting'), isThere('going')]).toEqual([true, true])
  })

  test('VMs that the last run was making into workers, until that is taken up; but not for ever', async () => {
    const { bench, run, killAwol, isThere } = await prepared((outside, now) => {
      for (const name of ['alive', 'resting']) outside.addVm(name, { workerStartTime: now - long }, { power: 'on' })
    })
    const spec = { purpose: 'Job' as const, version: 2 as const, job }
    await run.records.write('job-alive', spec, { phase: 'Booting', vm: 'alive' })
    await run.records.write('job-resting', spec, { phase: 'Waiting', vm: 'resting' })
    await killAwol()
    expect([isThere('alive'), isThere('resting')]).toEqual([true, false])
    await bench.pass(31)
    await killAwol()
    expect(isThere('alive')).toBe(false)
  })

  test('anything, while the inventory is not live', async () => {
    const { bench, killAwol, killDisabled, isThere } = await prepared((outside, now) => {
      outside.addVm('worker', { workerStartTime: now - long }, { power: 'on' })
    })
    bench.world.setReachable(false)
    await killAwol()
    await killDisabled()
    bench.world.setReachable(true)
    await bench.pass(1)
    expect(isThere('worker')).toBe(true)
  })

  test.each(['v1.workers', 'v2.workers'])('workers, while %s cannot be read; marked VMs go all the same', async call => {
    const { bench, run, killAwol, killDisabled, isThere } = await prepared((outside, now) => {
      outside.addVm('worker', { workerStartTime: now - long }, { power: 'on' })
      outside.addVm('marked', { workerStartTime: now }, { power: 'on' })
    })
    bench.cds.register('worker', { status: 'Disabled' })
    bench.cds.failing.add(call)
    run.underWay.doomed.add(run.fleet.ownNamed('marked')!.vm.id)
    await killDisabled()
    await killAwol()
    expect([isThere('worker'), isThere('marked')]).toEqual([true, false])
  })
})

describe('a removal', () => {
  test('takes marked VMs at once, also ones that stand ready, and tells whoever waits for room', async () => {
    const { run, killAwol, isThere, removed } = await prepared((outside, now) => {
      outside.addVm('marked', { workerStartTime: now }, { power: 'on' })
      outside.addVm('provision-v2-x', { provisioning: true, vmwareModelPath: 'debian12' })
    })
    for (const name of ['marked', 'provision-v2-x']) run.underWay.doomed.add(run.fleet.ownNamed(name)!.vm.id)
    await killAwol()
    expect([isThere('marked'), isThere('provision-v2-x'), removed(), run.underWay.doomed.size]).toEqual([false, false, 2, 0])
  })

  test.each([
    { power: 'on', asks: ['powerOff', 'destroy'] },
    { power: 'off', asks: ['destroy'] },
  ] as const)('of a VM that is $power asks for $asks, in this order', async ({ power, asks }) => {
    const { bench, killAwol, isThere } = await prepared((outside, now) => {
      outside.addVm('worker', { workerStartTime: now - 500 * minute }, { power })
    })
    await killAwol()
    expect(bench.world.tasks().map(({ operation }) => operation)).toEqual(asks)
    expect(isThere('worker')).toBe(false)
  })

  test('finds a marked VM again that was renamed in between', async () => {
    const { bench, run, killAwol, killDisabled } = await prepared((outside, now) => {
      outside.addVm('worker', { workerStartTime: now }, { power: 'on' })
    })
    bench.cds.register('worker', { version: 1, status: 'Disabled' })
    await killDisabled()
    const { id } = run.fleet.ownNamed('worker')!.vm
    bench.world.changeVm(id, { name: 'renamed' })
    await killAwol()
    expect(bench.world.find(id)).toBeUndefined()
  })

  test('that fails holds up no other, and is tried again', async () => {
    const { bench, killAwol, isThere } = await prepared((outside, now) => {
      for (const name of ['stuck', 'a', 'b']) outside.addVm(name, { workerStartTime: now - 500 * minute }, { power: 'off' })
    })
    bench.world.slowNext('destroy', Infinity)
    await killAwol()
    expect(bench.others()).toHaveLength(1)
    await killAwol()
    expect(['stuck', 'a', 'b'].filter(isThere)).toEqual([])
  })

  test('of many at once goes a few at a time', async () => {
    const { bench, killAwol } = await prepared((outside, now) => {
      for (let number = 0; number < 30; number++) outside.addVm(`worker-${number}`, { workerStartTime: now - 500 * minute })
    })
    let most = 0
    const look = () => {
      most = Math.max(most, bench.world.tasks().filter(({ state }) => state === 'running').length)
      if (bench.others().length > 0) bench.clock.after(200, look)
    }
    look()
    await killAwol()
    expect(bench.others()).toEqual([])
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(8)
  })
})

test('a worker that goes off is removed soon, not only when the interval is over', async () => {
  const { bench, cleaner, isThere } = await prepared((outside, now) => {
    outside.addVm('done', { workerStartTime: now - 30 * minute }, { power: 'on' })
    outside.addVm('early', { workerStartTime: now - 2 * minute }, { power: 'on' })
    outside.addVm('busy', { workerStartTime: now - 30 * minute }, { power: 'on' })
  })
  for (const name of ['done', 'busy']) bench.cds.register(name)
  cleaner.start()
  await bench.clock.advance(150_000)
  for (const name of ['done', 'early']) bench.world.switchPower(bench.world.byName(name)!.id, 'off')
  await bench.clock.advance(20_000)
  expect(['done', 'early', 'busy'].filter(isThere)).toEqual(['busy'])
  await cleaner.stop()
})

describe('a worker that CDS does not know and that is off', () => {
  test('goes soon if it went off before our eyes: its grace period is for what has not been on yet', async () => {
    const { bench, cleaner, isThere } = await prepared((outside, now) => {
      for (const name of ['done', 'claimed'])
        outside.addVm(name, { workerStartTime: now - 1_000 }, { power: name === 'done' ? 'on' : 'off' })
    })
    cleaner.start()
    bench.world.switchPower(bench.world.byName('done')!.id, 'off')
    await bench.clock.advance(20_000)
    expect([isThere('done'), isThere('claimed')]).toEqual([false, true])
    await cleaner.stop()
  })

  test('from before our time goes when its grace period is over, and not only when the interval is', async () => {
    const { bench, cleaner, isThere } = await prepared((outside, now) => {
      outside.addVm('old', { workerStartTime: now - 30 * minute }, { power: 'off' })
      for (const [name, seconds] of [['young', 160] as const, ['younger', 120] as const])
        outside.addVm(name, { workerStartTime: now - seconds * 1_000 }, { power: 'off' })
    })
    cleaner.start()
    await bench.clock.advance(12_000)
    expect(['old', 'young', 'younger'].filter(isThere)).toEqual(['young', 'younger'])
    await bench.clock.advance(18_000)
    expect(['young', 'younger'].filter(isThere)).toEqual(['younger'])
    await bench.clock.advance(45_000)
    expect(isThere('younger')).toBe(false)
    await cleaner.stop()
  })
})

describe('a worker that CDS disabled', () => {
  test.each([1, 2] as const)('of V%d goes with the next pass; its namesakes of others and provisions do not', async version => {
    const { bench, cleaner, isThere } = await prepared((outside, now) => {
      outside.addVm('worker', { workerStartTime: now }, { power: 'on' })
      outside.addVm('foreign', { hatcheryName: 'another', workerStartTime: now }, { power: 'on' })
      outside.addVm('active', { workerStartTime: now }, { power: 'on' })
    })
    for (const name of ['worker', 'foreign']) bench.cds.register(name, { version, status: 'Disabled' })
    bench.cds.register('active', { version })
    cleaner.start()
    await bench.pass(3)
    expect([isThere('worker'), isThere('foreign'), isThere('active')]).toEqual([false, true, true])
    await cleaner.stop()
  })
})

test('a VM that this program works on is not marked, though its worker is disabled', async () => {
  const { bench, run, killDisabled } = await prepared((outside, now) => {
    for (const name of ['busy', 'adopted']) outside.addVm(name, { workerStartTime: now }, { power: 'on' })
  })
  for (const name of ['busy', 'adopted']) bench.cds.register(name, { status: 'Disabled' })
  const { id } = run.fleet.ownNamed('busy')!.vm
  run.underWay.begin({ purpose: 'Job', jobId: job, vmName: 'busy', vmId: id, size: { cpus: 0, memoryMB: 0 }, model: '' })
  await run.records.write('job-adopted', { purpose: 'Job', version: 2, job }, { phase: 'Launching', vm: 'adopted' })
  await killDisabled()
  expect(run.underWay.doomed.size).toBe(0)
})

describe('a VM that was to register a model', () => {
  const registering = { registerOnly: true, workerModelPath: 'shared.infra/debian' }

  test.each([
    { needRegistration: true, told: 1 },
    { needRegistration: false, told: 0 },
  ])('is reported when it goes if the model still needs it: $needRegistration', async ({ needRegistration, told }) => {
    const { bench, killAwol, isThere } = await prepared((outside, now) => {
      outside.addVm('register-bold-owl', { ...registering, workerStartTime: now - 11 * minute }, { power: 'on' })
    })
    bench.cds.models = [v1Model({ needRegistration })]
    await killAwol()
    expect(isThere('register-bold-owl')).toBe(false)
    expect(bench.cds.told).toHaveLength(told)
    if (told > 0) expect(bench.cds.told[0]).toMatch(/^modelError shared.infra\/debian: worker model deployment failed/)
  })

  test('and cannot be removed is reported once, with the first reason; and later if CDS could not be told at once', async () => {
    const { bench, killAwol, isThere } = await prepared((outside, now) => {
      outside.addVm('register-bold-owl', { ...registering, workerStartTime: now - 11 * minute }, { power: 'on' })
    })
    bench.cds.models = [v1Model({ needRegistration: true })]
    bench.cds.failing.add('v1.modelError')
    for (let times = 0; times < 50; times++) bench.world.faults.cutNext('destroy', 'before')
    await killAwol()
    bench.cds.failing.clear()
    for (let pass = 0; pass < 5; pass++) await killAwol()
    expect([isThere('register-bold-owl'), bench.cds.told]).toEqual([
      true,
      [expect.stringMatching(/worker register-bold-owl is removed, because its worker did not register within 10m/)],
    ])
  })

  test('goes even if CDS cannot be told', async () => {
    const { bench, killAwol, isThere } = await prepared((outside, now) => {
      outside.addVm('register-bold-owl', { ...registering, workerStartTime: now - 11 * minute }, { power: 'on' })
    })
    bench.cds.failing.add('v1.model')
    await killAwol()
    expect(isThere('register-bold-owl')).toBe(false)
  })
})

test('a run that dies in the middle of a removal leaves nothing that the next one does not remove', async () => {
  for (let step = 0; step < 16; step++) {
    const bench = new Bench({ seed: step })
    await bench.pass(600)
    const start = bench.clock.now() - 500 * minute
    for (const power of ['on', 'off'] as const) bench.addVm(`worker-${power}`, { workerStartTime: start }, { power })
    const first = await bench.run()
    await bench.clock.advance(1_000)
    void new Cleaner(first).killAwol(never)
    await bench.clock.advance(step * 500)
    first.crash()
    const cleaner = new Cleaner(await bench.run())
    cleaner.start()
    await bench.pass(5)
    expect(bench.others(), `crash after ${step * 500} ms`).toEqual([])
    await cleaner.stop()
  }
})

test('that CDS cannot be asked is said once for both loops, and that it can be again', async () => {
  const { bench, cleaner } = await prepared(() => {})
  cleaner.start()
  bench.cds.failing.add('v2.workers')
  await bench.pass(30)
  bench.cds.failing.clear()
  await bench.pass(10)
  const said = bench.log.lines
    .filter(({ level }) => level === 'warn' || level === 'info')
    .map(({ level, message }) => `${level}: ${message}`)
  expect(said).toEqual([
    'warn: workers are not cleaned up, because it is not known which ones CDS has',
    'info: it is known again which workers CDS has',
  ])
  await cleaner.stop()
})

test('passes come at their interval, one at a time, and survive whatever happens in them', async () => {
  const { bench, cleaner, isThere } = await prepared((outside, now) => {
    outside.addVm('worker', { workerStartTime: now - 500 * minute }, { power: 'on' })
  })
  bench.cds.failing.add('v2.workers')
  cleaner.start()
  await bench.pass(5)
  expect(isThere('worker')).toBe(true)
  bench.cds.failing.clear()
  await bench.pass(2.5)
  expect(isThere('worker')).toBe(false)
  expect(Array.from(cleaner.health)).toEqual([
    ['hatchery-vsphere-kill-awol-servers', true],
    ['hatchery-vsphere-kill-disable-workers', true],
  ])
  await cleaner.stop()
})
