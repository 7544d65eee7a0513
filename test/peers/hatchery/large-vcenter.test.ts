import { afterAll, beforeAll, expect, test } from 'vitest'
import { startVcsim, type Vcsim } from '../peer.ts'
import { connectTo } from '../vsphere/vcenter.ts'
import { operatorCheck } from './operator-check.ts'

let sim: Vcsim

beforeAll(async () => {
  sim = await startVcsim({ vms: 2, clusters: 2, datacenters: 2 })
})

afterAll(async () => {
  await sim?.stop()
})

test('where a datacenter has several clusters, whoever names no resource pool is told which there are', async () => {
  const { code, out } = await operatorCheck(sim, '')
  expect(code).toBe(1)
  expect(out).toContain('resourcePool: must be given, because there are several')
  expect(out).toContain('choose one of DC0_C0/Resources, DC0_C1/Resources')
})

test('each of those names is understood', async () => {
  for (const pool of ['DC0_C0/Resources', 'DC0_C1/Resources']) {
    const { out } = await operatorCheck(sim, `resourcePoolString = "${pool}"`)
    expect(out).toMatch(new RegExp(`ok +resource pool ${pool}`))
  }
})

test('VMs of other datacenters are not seen', async () => {
  await using vcenter = await connectTo(sim, { datacenter: 'DC1', resourcePool: 'DC1_C0/Resources' })
  const names = Array.from(vcenter.platform.inventory.all(), ({ name }) => name).toSorted()
  expect(names).toEqual(['DC1_C0_RP0_VM0', 'DC1_C0_RP0_VM1', 'DC1_C1_RP0_VM0', 'DC1_C1_RP0_VM1'])
})
