import { describe, expect, test } from 'vitest'
import type { Vm } from '../../platform/index.ts'
import { readNote } from '../../platform/index.ts'
import { workerNote } from '../fleet/worker-note.ts'
import { testSettings } from '../testing/hatchery-world.ts'
import { cloneRequest } from './clone-request.ts'

const note = workerNote({ hatcheryName: 'hv1', workerName: 'brave-heron', jobId: 'j', vmwareModelPath: 'debian12', created: 0 })
const dhcp = { address: undefined, guest: { kind: 'dhcp' as const } }
const base = { settings: testSettings(), name: 'brave-heron', template: 'debian12', note, size: undefined, address: dhcp }

describe('the request for a clone', () => {
  test('asks for a linked clone that is not switched on, with tools after power-on and its own name as host', () => {
    const request = cloneRequest(base)
    expect(request).toMatchObject({
      name: 'brave-heron',
      template: 'debian12',
      linked: true,
      toolsAfterPowerOn: true,
      guest: { hostName: 'brave-heron', domain: '', address: { kind: 'dhcp' } },
    })
    expect(request).not.toHaveProperty('network')
    expect(request).not.toHaveProperty('resourcePool')
    expect(JSON.parse(request.annotation)).not.toHaveProperty('ip_address')
  })

  test.each([
    { name: 'with a flavor sets CPUs and memory', size: { name: 'large', cpus: 8, memoryMB: 16_384 }, sets: { cpus: 8, memoryMB: 16_384 } },
    {
      name: 'with a flavor that has a disk grows it',
      size: { name: 'large', cpus: 8, memoryMB: 16_384, diskSizeGB: 100 },
      sets: { cpus: 8, memoryMB: 16_384, diskGB: 100 },
    },
    { name: 'without a flavor sets none', size: undefined, sets: {} },
  ])('$name', ({ size, sets }) => {
    const { cpus, memoryMB, diskGB } = cloneRequest({ ...base, size })
    expect({
      ...(cpus !== undefined && { cpus }),
      ...(memoryMB !== undefined && { memoryMB }),
      ...(diskGB !== undefined && { diskGB }),
    }).toEqual(sets)
  })

  test('has card, network, pool and datastore of the configuration', () => {
    const plain = testSettings()
    const vsphere = { ...plain.vsphere, network: 'vm-network', card: 'vmxnet3' as const, resourcePool: 'pool', datastore: 'ssd' }
    expect(cloneRequest({ ...base, settings: { ...plain, vsphere } })).toMatchObject({
      network: { network: 'vm-network', card: 'vmxnet3' },
      resourcePool: 'pool',
      datastore: 'ssd',
    })
  })

  test('carries the address in the guest’s settings and in the note', () => {
    const guest = { kind: 'static' as const, address: '10.0.0.5', subnetMask: '255.255.255.240', gateway: '10.0.0.14', dns: ['10.0.0.2'] }
    const request = cloneRequest({ ...base, address: { address: '10.0.0.5', guest } })
    expect(request.guest?.address).toEqual(guest)
    expect(JSON.parse(request.annotation)).toMatchObject({ ip_address: '10.0.0.5', hatchery_name: 'hv1', job_id: 'j' })
  })

  test('knows its own VM by hatchery, worker and job, and no other', () => {
    const request = cloneRequest(base)
    const vm = (annotation: string) => ({ annotation, note: readNote(annotation) }) as unknown as Vm
    expect(request.isOurs(vm(request.annotation))).toBe(true)
    expect(request.isOurs(vm(request.annotation.replace('"job_id":"j"', '"job_id":"k"')))).toBe(false)
    expect(request.isOurs(vm(''))).toBe(false)
  })
})
