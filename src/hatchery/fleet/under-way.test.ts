import { expect, test } from 'vitest'
import { UnderWay } from './under-way.ts'

const size = { cpus: 2, memoryMB: 4096 }

test('an undertaking is found by job, VM and name until it is over', () => {
  const underWay = new UnderWay()
  const job = underWay.begin({ purpose: 'Job', jobId: '42', vmName: '', vmId: 'vm-1', size, model: '' })
  expect(underWay.hasJob('42')).toBe(true)
  expect(underWay.has({ id: 'vm-1', name: 'provision-v2-a' })).toBe(true)
  job[Symbol.dispose]()
  expect(underWay.hasJob('42')).toBe(false)
  expect(underWay.has({ id: 'vm-1', name: 'provision-v2-a' })).toBe(false)
  expect([...underWay.all()]).toEqual([])
})

test('a name that is chosen later is found from then on, and the old one no longer', () => {
  const underWay = new UnderWay()
  const job = underWay.begin({ purpose: 'Job', jobId: '42', vmName: '', size, model: '' })
  job.vmName = 'brave-curie'
  expect(underWay.hasName('brave-curie')).toBe(true)
  job.vmName = 'calm-curie'
  job.vmId = 'vm-9'
  expect([underWay.hasName('brave-curie'), underWay.hasName('calm-curie'), underWay.has({ id: 'vm-9', name: '' })]).toEqual([
    false,
    true,
    true,
  ])
})

test('what has neither job nor VM nor name is not taken for everything that has none either', () => {
  const underWay = new UnderWay()
  using _ = underWay.begin({ purpose: 'Provision', jobId: '', vmName: '', size, model: '2 debian12' })
  expect([underWay.hasJob(''), underWay.hasName(''), underWay.has({ id: 'vm-1', name: '' })]).toEqual([false, false, false])
})

test('two at one VM: it is free when both are over', () => {
  const underWay = new UnderWay()
  const [one, other] = ['1', '2'].map(jobId => underWay.begin({ purpose: 'Job', jobId, vmName: 'w', vmId: 'vm-1', size, model: '' }))
  one?.[Symbol.dispose]()
  expect(underWay.has({ id: 'vm-1', name: 'x' })).toBe(true)
  other?.[Symbol.dispose]()
  expect(underWay.has({ id: 'vm-1', name: 'w' })).toBe(false)
})

test('a change after the end is not seen any more', () => {
  const underWay = new UnderWay()
  const job = underWay.begin({ purpose: 'Job', jobId: '42', vmName: 'w', size, model: '' })
  job[Symbol.dispose]()
  job.vmName = 'late'
  job.vmId = 'vm-3'
  expect([underWay.hasName('late'), underWay.has({ id: 'vm-3', name: '' }), job.vmName, job.vmId]).toEqual([false, false, 'late', 'vm-3'])
})
