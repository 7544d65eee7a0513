import { afterAll, beforeAll, expect, test } from 'vitest'
import { startVcsim, type Vcsim } from '../peer.ts'
import { connectTo } from '../vsphere/vcenter.ts'
import { makeTemplate } from '../vsphere/vcsim-world.ts'
import { operatorCheck } from './operator-check.ts'

let sim: Vcsim
let template: string

beforeAll(async () => {
  sim = await startVcsim({ vms: 2, deny: ['VirtualMachine.Config.Rename'] })
  await using vcenter = await connectTo(sim)
  template = await makeTemplate(vcenter)
})

afterAll(async () => {
  await sim.stop()
})

test('a CDS operator’s file is checked against the vCenter that it names, with its templates', async () => {
  const tables = `[[hatchery.vsphere.workerProvisioning]]\nmodelVMWare = "${template}"\nnumber = 1
    [[hatchery.vsphere.guestCredentials]]\nmodelVMWare = "no-such"\nusername = "root"\npassword = "x"`
  const { code, out } = await operatorCheck(
    sim,
    'datastoreString = "LocalDS_0"\nnetworkString = "VM Network"\nresourcePoolString = "Resources"',
    tables,
  )
  expect(code).toBe(1)
  expect(out).toMatch(new RegExp(`ok +template ${template}`))
  expect(out).toContain('there is no VM or template "no-such" in the datacenter')
  expect(out).toContain('privilege VirtualMachine.Config.Rename on the folder')
  expect(out).toContain('breaks: ready VMs cannot be claimed')
  expect(out).toMatch(/ok +datastore LocalDS_0/)
  expect(out).not.toContain(`"${sim.password}"`)
})

test('places that are not there are named', async () => {
  const { code, out } = await operatorCheck(sim, 'datastoreString = "nowhere"\nresourcePoolString = "no-pool"')
  expect(code).toBe(1)
  expect(out).toContain('there is no datastore "nowhere"')
  expect(out).toContain('there is no resource pool "no-pool"')
})
