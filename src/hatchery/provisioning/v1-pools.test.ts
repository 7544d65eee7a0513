import { describe, expect, test } from 'vitest'
import { readWorkerNote } from '../fleet/worker-note.ts'
import { v1Model } from '../testing/scripted-cds.ts'
import { entry, started, withV1Template } from './testing/started-provisioner.ts'

describe('a pool of a V1 model', () => {
  const settings = { provisioning: [entry('shared.infra/debian', 1, { version: 1 })] }

  test('gets VMs of the template that was built for the model', async () => {
    const { bench, provisioner } = await started({ settings }, withV1Template)
    await bench.pass(2)
    const [vm] = bench.provisions()
    expect(vm).toMatchObject({ power: 'off', cpus: 3, memoryMB: 3000 })
    expect(vm!.name).toMatch(/^provision-v1-/)
    expect(readWorkerNote(vm!)).toMatchObject({
      workerModelPath: 'shared.infra/debian',
      workerModelLastModified: '1700000000',
      vmwareModelPath: '',
      ipAddress: '10.0.0.2',
    })
    await provisioner.stop()
  })

  test('does nothing if the count is met', async () => {
    const { bench, provisioner } = await started({ settings }, outside => {
      withV1Template(outside)
      const note = { provisioning: true, workerModelPath: 'shared.infra/debian', workerModelLastModified: '1700000000' }
      outside.addVm('provision-v1-there', note)
    })
    await bench.pass(10)
    expect([bench.provisions().map(vm => vm.name), bench.world.tasks()]).toEqual([['provision-v1-there'], []])
    await provisioner.stop()
  })

  test.each([
    { name: 'it must be registered', change: { needRegistration: true }, reason: 'NeedsRegistration' },
    { name: 'its registration must be checked', change: { checkRegistration: true }, reason: 'NeedsRegistration' },
    { name: 'it was changed since its template was built', change: { userLastModified: 1_800_000_000 }, reason: 'NeedsRegistration' },
    { name: 'it is of another type', change: { type: 'openstack' }, reason: 'ModelOfOtherType' },
    { name: 'CDS does not have it', change: { name: 'another' }, reason: 'ModelMissing' },
  ])('waits and says why if $name', async ({ change, reason }) => {
    const { bench, provisioner } = await started({ settings }, outside => {
      withV1Template(outside)
      outside.cds.models = [v1Model(change)]
    })
    await bench.pass(2)
    expect(bench.provisions()).toEqual([])
    expect(provisioner.pools()).toMatchObject([{ ready: 0, waits: { reason } }])
    await provisioner.stop()
  })

  test('waits while CDS does not answer, and keeps no V2 model from its VMs', async () => {
    const provisioning = [...settings.provisioning, entry('debian12', 1)]
    const { bench, provisioner } = await started({ settings: { provisioning } }, outside => {
      withV1Template(outside)
      outside.cds.failing.add('v1.models')
    })
    await bench.pass(2)
    expect(provisioner.pools()).toMatchObject([
      { model: 'debian12', ready: 1 },
      { ready: 0, waits: { reason: 'ModelNotKnown' } },
    ])
    bench.cds.failing.clear()
    await bench.pass(5)
    expect(provisioner.pools()).toMatchObject([{ ready: 1 }, { ready: 1 }])
    await provisioner.stop()
  })

  test('replaces VMs that were made of an older template when the new one is there', async () => {
    const { bench, provisioner } = await started({ settings }, withV1Template)
    await bench.pass(2)
    const [old] = bench.provisions()
    bench.cds.models = [v1Model({ userLastModified: 1_800_000_000 })]
    await bench.pass(5)
    expect(bench.provisions()).toEqual([old])
    const template = bench.world.byName('debian')!
    bench.world.changeVm(template.id, { annotation: template.annotation.replace('1700000000', '1800000000') })
    await bench.pass(5)
    expect(bench.provisions().map(vm => readWorkerNote(vm)?.workerModelLastModified)).toEqual(['1800000000'])
    await provisioner.stop()
  })
})
