import { describe, expect, test } from 'vitest'
import type { V1Model } from '../cds/cds.ts'
import { aV1Model, GateWorld, type GateWorldOptions, inShort } from '../testing/gate-world.ts'

const size = { cpus: 1, memoryMB: 1 }

test('a registration goes with job number 0, and is entered with the model’s path', async () => {
  const world = new GateWorld()
  const verdict = await world.decideRegistration(aV1Model({ flavor: 'small' }))
  expect(verdict).toMatchObject({
    kind: 'go',
    plan: { job: { id: '0', version: 1, title: 'registration of shared.infra/debian-v1' }, model: { id: 7 }, size: { cpus: 2 } },
    undertaking: { purpose: 'Registration', jobId: '', model: 'shared.infra/debian-v1', vmId: undefined },
  })
})

describe('a registration waits', () => {
  const cases: {
    what: string
    options?: GateWorldOptions
    model?: Partial<V1Model>
    prepare?: (world: GateWorld) => void
    says: string
  }[] = [
    { what: 'while the platform is not known', prepare: world => world.inventory.lost('away'), says: 'InventoryNotLive' },
    { what: 'while workers are not known', prepare: world => void world.failing.add('v2.workers'), says: 'WorkersNotKnown' },
    {
      what: 'for a worker to end',
      options: { provision: { maxWorker: 1 } },
      prepare: world => void world.vm({ name: 'w', note: {} }),
      says: 'MaxWorkerReached',
    },
    {
      what: 'for pending workers',
      options: { provision: { maxConcurrentProvisioning: 1 } },
      prepare: world => void world.vm({ name: 'w', note: {} }),
      says: 'TooManyPending',
    },
    { what: 'for ever where registering is off', options: { provision: { maxConcurrentRegistering: undefined } }, says: 'RegisteringOff' },
    {
      what: 'for other registrations',
      options: { provision: { maxConcurrentRegistering: 2 } },
      prepare: world => {
        world.vm({ name: 'register-a', note: { registerOnly: true, workerModelPath: 'g/a' } })
        world.underWay.begin({ purpose: 'Registration', jobId: '', vmName: '', size, model: 'g/b' })
      },
      says: 'TooManyRegistering',
    },
    { what: 'for ever with a model of another type', model: { type: 'docker' }, says: 'WrongModelType' },
    { what: 'with a model without a command', model: { cmd: '' }, says: 'NoCommand' },
    { what: 'with a model that failed too often', model: { spawnErrors: 6 }, says: 'TooManyModelErrors' },
    { what: 'while the template is being built', prepare: world => void world.vm({ name: 'debian-v1-tmp' }), says: 'ModelHasVm' },
    {
      what: 'while another VM registers the model, whoever’s',
      prepare: world =>
        void world.vm({
          name: 'register-bohr',
          note: { hatcheryName: 'other', registerOnly: true, workerModelPath: 'shared.infra/debian-v1' },
        }),
      says: 'ModelHasVm',
    },
    {
      what: 'while this program registers the model',
      prepare: world =>
        void world.underWay.begin({ purpose: 'Registration', jobId: '', vmName: '', size, model: 'shared.infra/debian-v1' }),
      says: 'ModelUnderWay',
    },
    { what: 'for an address', prepare: world => void (world.addresses.free = 0), says: 'NoAddressFree' },
    { what: 'for room', options: { settings: { maxCpus: 1 } }, model: { flavor: 'small' }, says: 'MaxCpusReached' },
    {
      what: 'for secrets',
      model: { password: '{{.secrets.pw}}' },
      prepare: world => void world.failing.add('v1.modelSecrets'),
      says: 'CdsNotAnswering',
    },
  ]
  test.each(cases)('$what', async ({ options = {}, model = {}, prepare, says }) => {
    const world = new GateWorld(options)
    prepare?.(world)
    expect(inShort(await world.decideRegistration(aV1Model(model)))).toBe(says)
  })
})

test('another model’s registration is no obstacle', async () => {
  const world = new GateWorld()
  world.vm({ name: 'register-bohr', note: { registerOnly: true, workerModelPath: 'shared.infra/other' } })
  expect((await world.decideRegistration(aV1Model())).kind).toBe('go')
})

test('a VM that stands ready is not taken for a registration', async () => {
  const world = new GateWorld()
  world.vm({ name: 'provision-v1-a', power: 'off', note: { provisioning: true, workerModelPath: 'shared.infra/debian-v1' } })
  expect(await world.decideRegistration(aV1Model())).toMatchObject({ kind: 'go', undertaking: { vmId: undefined } })
})
