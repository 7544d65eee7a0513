import { describe, expect, test } from 'vitest'
import { FlakyStore } from '../../control/testing/flaky-store.ts'
import { StoreError } from '../../store/index.ts'
import { Cleaner } from '../cleanup/cleaner.ts'
import { readWorkerNote } from '../fleet/worker-note.ts'
import { adoptSpawns } from '../spawn/adoption.ts'
import { Bench } from '../testing/keeping-bench.ts'
import { v1Model } from '../testing/scripted-cds.ts'
import { plainSettings } from '../testing/plain-settings.ts'
import { byNeed } from './registrar.ts'
import { playGuests, registrarOf, startedRegistrar } from './testing/started-registrar.ts'

const changed = 1_700_000_000

describe('a model that must be registered', () => {
  test('gets a template that was prepared in a guest, and a worker made of it that registers', async () => {
    const { bench, registrar, programs } = await startedRegistrar()
    await bench.pass(5)
    const template = bench.world.byName('debian')
    expect(template).toMatchObject({ template: true, memoryMB: 5000 })
    expect(JSON.parse(template!.annotation)).toEqual({
      hatchery_name: 'aviary',
      worker_model_path: 'shared.infra/debian',
      worker_model_last_modified: String(changed),
      model: true,
      created: expect.any(String),
      worker_start_time: '0001-01-01T00:00:00Z',
    })
    const [worker] = bench.others()
    expect(worker?.name).toMatch(/^register-/)
    expect(worker?.memoryMB).toBe(5000)
    expect(readWorkerNote(worker!)).toMatchObject({ registerOnly: true, workerModelPath: 'shared.infra/debian' })
    expect(programs).toEqual([
      'debian-tmp: env',
      'debian-tmp: sudo shutdown -h now',
      `${worker?.name}: env`,
      expect.stringContaining(`${worker?.name}: ./worker register`),
    ])
    expect(bench.cds.told).toEqual(['bookModel shared.infra/debian'])
    expect(bench.world.byName('debian-tmp')).toBeUndefined()
    expect(await bench.spawns()).toEqual([])
    await registrar.stop()
  })

  test('has an address of its own while its template is made, and the template shows none', async () => {
    const { bench, registrar } = await startedRegistrar()
    await bench.clock.advance(30_000)
    expect(readWorkerNote(bench.world.byName('debian-tmp')!)).toMatchObject({ ipAddress: '10.0.0.2', model: true })
    await bench.pass(5)
    expect(readWorkerNote(bench.world.byName('debian')!)?.ipAddress).toBe('')
    await registrar.stop()
  })

  test('keeps its old template until the new one is done, and then has only the new one', async () => {
    const { bench, registrar } = await startedRegistrar({}, outside => {
      outside.addVm(
        'debian',
        { model: true, workerModelPath: 'shared.infra/debian', workerModelLastModified: '1' },
        { template: true, memoryMB: 1000 },
      )
      outside.cds.models = [v1Model()]
    })
    const old = bench.world.byName('debian')!.id
    for (let second = 0; second < 600 && bench.world.byName('debian')?.id === old; second++) {
      await bench.clock.advance(1_000)
      const tmp = bench.world.byName('debian-tmp')
      const isDone = tmp !== undefined && tmp.memoryMB === 5000 && tmp.power === 'off'
      expect(bench.world.find(old) !== undefined || isDone).toBe(true)
    }
    await bench.pass(2)
    expect(bench.world.find(old)).toBeUndefined()
    expect(bench.world.vms().filter(vm => vm.name === 'debian')).toMatchObject([{ template: true, memoryMB: 5000 }])
    await registrar.stop()
  })

  test('is found when it is time to look for models again, and not before', async () => {
    const { provision } = plainSettings()
    const { bench, registrar } = await startedRegistrar(
      { settings: { provision: { ...provision, registerEvery: 10 * 60_000 } } },
      outside => {
        outside.cds.models = []
      },
    )
    await bench.pass(1)
    bench.cds.models = [v1Model({ needRegistration: true })]
    await bench.pass(8)
    expect(bench.cds.told).toEqual([])
    await bench.pass(2)
    expect(bench.cds.told).toEqual(['bookModel shared.infra/debian'])
    await registrar.stop()
  })

  test('is left alone if nothing is wrong with it', async () => {
    const { bench, registrar } = await startedRegistrar({}, outside => {
      outside.addVm(
        'debian',
        { model: true, workerModelPath: 'shared.infra/debian', workerModelLastModified: String(changed) },
        { template: true },
      )
      outside.cds.models = [v1Model()]
    })
    await bench.pass(10)
    expect([bench.cds.told, bench.world.tasks()]).toEqual([[], []])
    await registrar.stop()
  })

  test('is only checked, with the template that is there, if CDS asks for no more', async () => {
    const { bench, registrar, programs } = await startedRegistrar({}, outside => {
      outside.addVm(
        'debian',
        { model: true, workerModelPath: 'shared.infra/debian', workerModelLastModified: String(changed) },
        { template: true },
      )
      outside.cds.models = [v1Model({ checkRegistration: true })]
    })
    await bench.pass(5)
    expect(programs.map(line => line.split(':')[0])).toEqual([bench.others()[0]?.name, bench.others()[0]?.name])
    await registrar.stop()
  })

  test.each([
    { name: 'of another type', model: v1Model({ type: 'openstack', needRegistration: true }) },
    { name: 'that failed too often', model: v1Model({ spawnErrors: 6, needRegistration: true }) },
    { name: 'that is disabled', model: v1Model({ disabled: true, needRegistration: true }) },
  ])('is not touched if it is one $name', async ({ model }) => {
    const { bench, registrar } = await startedRegistrar({}, outside => void (outside.cds.models = [model]))
    await bench.pass(5)
    expect([bench.cds.told, bench.world.tasks()]).toEqual([[], []])
    await registrar.stop()
  })

  test('is not touched if registering is switched off, or there is no token for V1', async () => {
    const settings = plainSettings()
    const off = { settings: { provision: { ...settings.provision, maxConcurrentRegistering: undefined } } }
    const { bench, registrar } = await startedRegistrar(off)
    await bench.pass(5)
    expect([bench.cds.told, bench.world.tasks(), Array.from(registrar.health)]).toEqual([[], [], []])
    await registrar.stop()
  })

  test('of which another hatchery made the template is left to that one', async () => {
    const { bench, registrar, registrations, said } = await startedRegistrar({}, outside => {
      outside.addVm('debian', { hatcheryName: 'other', model: true, workerModelPath: 'shared.infra/debian' }, { template: true })
    })
    await bench.pass(5)
    expect([bench.cds.told, bench.world.tasks()]).toEqual([[], []])
    expect(said()).toHaveLength(1)
    expect(registrations.of('shared.infra/debian')).toEqual({
      reason: 'TemplateOfOther',
      message: 'its template "debian" belongs to hatchery "other", which must build it anew',
      unblock: expect.stringContaining('let hatchery "other" register the model'),
    })
    await registrar.stop()
  })

  test('whose name another model has too leaves it its template, which it would build anew for ever; and takes it when that model is gone', async () => {
    const models = ['team', 'shared.infra'].map((group, index) => v1Model({ id: index + 1, group, needRegistration: true }))
    const { bench, registrar, registrations, said } = await startedRegistrar({}, outside => void (outside.cds.models = models))
    await bench.pass(30)
    expect(bench.cds.told).toEqual(['bookModel team/debian'])
    expect(readWorkerNote(bench.world.byName('debian')!)?.workerModelPath).toBe('team/debian')
    expect(registrations.of('shared.infra/debian')).toMatchObject({ reason: 'TemplateOfNamesake', unblock: 'rename one of the two models' })
    expect(said().filter(({ fields }) => fields?.['model'] === 'shared.infra/debian')).toHaveLength(1)
    bench.cds.models = bench.cds.models.filter(({ group }) => group !== 'team')
    await bench.pass(10)
    expect(bench.cds.told).toEqual(['bookModel team/debian', 'bookModel shared.infra/debian'])
    expect(readWorkerNote(bench.world.byName('debian')!)?.workerModelPath).toBe('shared.infra/debian')
    await registrar.stop()
  })

  test('whose name somebody else’s VM has is reported, and that VM stays', async () => {
    const { bench, registrar } = await startedRegistrar({}, outside => void outside.world.addVm({ name: 'debian', template: true }))
    await bench.pass(5)
    expect(bench.cds.told.slice(0, 2)).toEqual([
      'bookModel shared.infra/debian',
      expect.stringMatching(/^modelError shared.infra\/debian: the name "debian" belongs to another VM/),
    ])
    expect(bench.world.byName('debian')?.annotation).toBe('')
    expect(bench.world.tasks()).toEqual([])
    await registrar.stop()
  })
})

test('that models cannot be read is said once, until they can be', async () => {
  const { bench, registrar } = await startedRegistrar({}, outside => void outside.cds.failing.add('v1.models'))
  const said = () => bench.log.lines.filter(({ level, message }) => level === 'warn' && message.includes('could not be read'))
  await bench.pass(5)
  expect(said()).toHaveLength(1)
  bench.cds.failing.clear()
  await bench.pass(2)
  bench.cds.failing.add('v1.models')
  await bench.pass(10)
  expect(said().filter(({ message }) => message.startsWith('no worker model is registered'))).toHaveLength(2)
  await registrar.stop()
})

describe('what goes wrong', () => {
  test('in the guest is reported to CDS without the password, and the VM that was begun is removed', async () => {
    const login = { user: 'root', password: 'other-password' }
    const { bench, registrar } = await startedRegistrar({ world: { templates: [{ name: 'debian12', login }] } })
    await bench.pass(5)
    expect(bench.cds.told[1]).toMatch(/^modelError shared.infra\/debian: .*refuses to log "root" in/)
    expect(bench.cds.told.join()).not.toContain('guest-password')
    await bench.pass(2)
    expect(bench.world.byName('debian')).toBeUndefined()
    await registrar.stop()
  })

  test('with a shutdown that never comes ends after ten minutes, and says what must be done', async () => {
    const { bench, registrar } = await startedRegistrar()
    bench.world.onProgram(program => program.exit(0))
    await bench.pass(20)
    expect(bench.cds.told[1]).toMatch(/^modelError .*the shutdown of the guest did not happen within 10 min \(post_cmd/)
    await registrar.stop()
  })

  test('because no address is free is not the model’s fault', async () => {
    const { bench, registrar } = await startedRegistrar({}, outside => {
      for (let number = 2; number < 64; number++)
        outside.world.addVm({ name: `taker-${number}`, power: 'on', addresses: [`10.0.0.${number}`] })
    })
    await bench.pass(10)
    expect(bench.cds.told.filter(text => text.startsWith('modelError'))).toEqual([])
    expect(bench.world.byName('debian-tmp')).toBeUndefined()
    await registrar.stop()
  })

  test('because the store does not answer is not the model’s fault', async () => {
    const { bench, registrar, run } = await startedRegistrar({}, outside => {
      const store = new FlakyStore(outside.store)
      store.before = operation => {
        if (operation === 'create') throw new StoreError('ServiceUnavailable', 'the disk of the data folder is full')
      }
      outside.store = store
    })
    await bench.pass(3)
    expect(run.log.lines.some(({ message }) => message === 'a worker model could not be registered')).toBe(true)
    expect(bench.cds.told.filter(text => text.startsWith('modelError'))).toEqual([])
    await registrar.stop()
  })

  test('because the platform has no room is not the model’s fault', async () => {
    const { bench, registrar, run } = await startedRegistrar({ world: { mostVms: 3 } })
    await bench.pass(3)
    expect(run.log.lines.some(({ message }) => message === 'a worker model could not be registered')).toBe(true)
    expect(bench.cds.told.filter(text => text.startsWith('modelError'))).toEqual([])
    expect(await bench.spawns()).toEqual([])
    await registrar.stop()
  })

  test('with one model does not keep another from its registration', async () => {
    const { bench, registrar } = await startedRegistrar({}, outside => {
      outside.cds.models = [
        v1Model({ name: 'sick', image: 'missing', needRegistration: true }),
        v1Model({ id: 2, name: 'sound', needRegistration: true }),
      ]
    })
    await bench.pass(5)
    expect(bench.world.byName('sound')?.template).toBe(true)
    expect(bench.cds.told.filter(text => text.startsWith('modelError'))[0]).toMatch(
      /^modelError shared.infra\/sick: there is no template "missing"/,
    )
    await registrar.stop()
  })

  test('when CDS does not list the models changes nothing', async () => {
    const { bench, registrar } = await startedRegistrar({}, outside => void outside.cds.failing.add('v1.models'))
    await bench.pass(5)
    expect(bench.world.tasks()).toEqual([])
    bench.cds.failing.clear()
    await bench.pass(5)
    expect(bench.world.byName('debian')?.template).toBe(true)
    await registrar.stop()
  })
})

test.each([
  { name: 'debian', power: 'off', isKept: true, why: 'has its last name, so it was done' },
  { name: 'debian-tmp', power: 'off', isKept: false, why: 'may not be done' },
  { name: 'debian-tmp', power: 'on', isKept: false, why: 'is certainly not done' },
] as const)('what an earlier run left as $name, powered $power, becomes the template: $isKept, because it $why', async row => {
  const note = { model: true, workerModelPath: 'shared.infra/debian', workerModelLastModified: String(changed), workerName: '' }
  const { bench, registrar } = await startedRegistrar({}, outside => {
    outside.addVm(row.name, note, { power: row.power, memoryMB: 7777 })
    outside.cds.models = [v1Model()]
  })
  await bench.pass(5)
  expect(bench.world.byName('debian')).toMatchObject({ template: true, memoryMB: row.isKept ? 7777 : 5000 })
  expect(bench.world.byName('debian-tmp')).toBeUndefined()
  await registrar.stop()
})

test('a template is replaced in steps after each of which one is there, and a run that dies between them is completed', async () => {
  const note = { model: true, workerModelPath: 'shared.infra/debian', workerModelLastModified: '1', workerName: '' }
  const outside = () => {
    const bench = new Bench({ seed: 5 })
    playGuests(bench)
    bench.cds.models = [v1Model({ needRegistration: true })]
    bench.addVm('debian', note, { template: true, memoryMB: 1000 })
    return bench
  }
  const templates = (bench: Bench) =>
    bench.world.vms().filter(({ name, template }) => template && name.startsWith('debian') && name !== 'debian12' && name !== 'debian13')
  const dry = outside()
  registrarOf(await dry.run()).registrar.start()
  let done = 0
  while (!templates(dry).some(({ name }) => name === 'debian-tmp')) {
    await dry.clock.advance(100)
    done += 100
  }
  const names = new Set<string>()
  for (let time = done - 2_000; time < done + 12_000; time += 250) {
    const bench = outside()
    const first = await bench.run()
    registrarOf(first).registrar.start()
    await bench.clock.advance(time)
    first.crash()
    names.add(
      templates(bench)
        .map(({ name, memoryMB }) => `${name.replace(/vm-\d+/, 'ID')} ${memoryMB}`)
        .toSorted()
        .join(', '),
    )
    expect(
      templates(bench).some(({ name }) => name !== 'debian-tmp'),
      `crash after ${time} ms`,
    ).toBe(true)
    const { registrar } = registrarOf(await bench.run())
    registrar.start()
    await bench.pass(25)
    expect(templates(bench), `crash after ${time} ms`).toMatchObject([{ name: 'debian', memoryMB: 5000 }])
    await registrar.stop()
  }
  // Every step was met.
  expect([...names]).toEqual([
    'debian 1000',
    'debian 1000, debian-tmp 5000',
    'debian-replaced-ID 1000, debian-tmp 5000',
    'debian 5000, debian-replaced-ID 1000',
    'debian 5000',
  ])
})

test('a template that was built while another hatchery finished its own is removed, and that one stays', async () => {
  const note = { model: true, workerModelPath: 'shared.infra/debian', workerModelLastModified: String(changed), workerName: '' }
  const { bench, registrar } = await startedRegistrar({}, outside => {
    outside.addVm('debian', { ...note, hatcheryName: 'other' }, { template: true })
    outside.addVm('debian-tmp', note, { template: true })
    outside.cds.models = [v1Model()]
  })
  await bench.pass(2)
  expect(bench.world.byName('debian-tmp')).toBeUndefined()
  expect(readWorkerNote(bench.world.byName('debian')!)?.hatcheryName).toBe('other')
  await registrar.stop()
})

test('a template that made room for one that never came takes its place again', async () => {
  const note = { model: true, workerModelPath: 'shared.infra/debian', workerModelLastModified: String(changed), workerName: '' }
  const { bench, registrar } = await startedRegistrar({}, outside => {
    outside.addVm('debian-replaced-vm-7', note, { template: true, memoryMB: 7777 })
    outside.cds.models = [v1Model()]
  })
  await bench.pass(5)
  expect(bench.world.byName('debian')).toMatchObject({ template: true, memoryMB: 7777 })
  await registrar.stop()
})

test('models that need it most come first', () => {
  const models = [
    v1Model({ name: 'c' }),
    v1Model({ name: 'b', checkRegistration: true }),
    v1Model({ name: 'z', needRegistration: true }),
    v1Model({ name: 'a', needRegistration: true }),
    v1Model({ name: 'y', needRegistration: true, checkRegistration: true }),
  ]
  expect(byNeed(models).map(({ name }) => name)).toEqual(['y', 'a', 'z', 'b', 'c'])
})

test(
  'a run that dies at any moment of a registration leaves nothing that the next one does not finish or tidy up',
  { timeout: 60_000 },
  async () => {
    for (let second = 1; second < 180; second += 2) {
      const bench = new Bench({ seed: second })
      playGuests(bench)
      bench.cds.models = [v1Model({ needRegistration: true })]
      const first = await bench.run()
      registrarOf(first).registrar.start()
      await bench.clock.advance(second * 1_000)
      first.crash()
      if (second % 3 === 0) bench.store = bench.newStore()
      const run = await bench.run()
      const { registrar, spawning } = registrarOf(run)
      const never = new AbortController().signal
      void adoptSpawns(spawning, never)
      const cleaner = new Cleaner(run)
      registrar.start()
      cleaner.start()
      await bench.pass(25)
      const state = {
        template: bench.world.byName('debian')?.template,
        needs: bench.cds.models[0]?.needRegistration,
        left: bench.world
          .vms()
          .filter(vm => !vm.template)
          .map(vm => vm.name),
        records: (await bench.spawns()).map(({ metadata }) => metadata.name),
      }
      expect(state, `crash after ${second} s`).toEqual({ template: true, needs: false, left: [], records: [] })
      await Promise.all([registrar.stop(), cleaner.stop()])
    }
  },
)
