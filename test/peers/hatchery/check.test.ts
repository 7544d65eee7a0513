import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { play } from '../../../src/cli/testing/played-io.ts'
import { operatorFile } from '../../../src/hatchery/testing/operator-file.ts'
import { startVcsim, type Vcsim } from '../peer.ts'
import { connectTo, thumbprintOf } from '../vsphere/vcenter.ts'
import { makeTemplate } from '../vsphere/vcsim-world.ts'

let sim: Vcsim
let template: string
let folder: string

beforeAll(async () => {
  sim = await startVcsim({ vms: 2, deny: ['VirtualMachine.Config.Rename'] })
  await using vcenter = await connectTo(sim)
  template = await makeTemplate(vcenter)
  folder = await mkdtemp(join(tmpdir(), 'aviary-hatchery-check-'))
})

afterAll(async () => {
  await sim.stop()
  await rm(folder, { recursive: true, force: true })
})

async function check(more: string, tables: string) {
  const file = join(folder, 'cds.toml')
  await writeFile(file, operatorFile({ more: `thumbprint = "${await thumbprintOf(sim.url)}"\n${more}`, tables }))
  const environment = {
    CDS_HATCHERY_VSPHERE_ENDPOINT: new URL(sim.url).host,
    CDS_HATCHERY_VSPHERE_USER: sim.user,
    CDS_HATCHERY_VSPHERE_PASSWORD: sim.password,
  }
  return await play(['hatchery', 'check', '--config', file], { environment, folder, columns: 200 })
}

test('a CDS operator’s file is checked against the vCenter that it names, with its templates', async () => {
  const tables = `[[hatchery.vsphere.workerProvisioning]]\nmodelVMWare = "${template}"\nnumber = 1
    [[hatchery.vsphere.guestCredentials]]\nmodelVMWare = "no-such"\nusername = "root"\npassword = "x"`
  const { code, out } = await check('datastoreString = "LocalDS_0"\nnetworkString = "VM Network"\nresourcePoolString = "Resources"', tables)
  expect(code).toBe(1)
  expect(out).toMatch(new RegExp(`ok +template ${template}`))
  expect(out).toContain('there is no VM or template "no-such" in the datacenter')
  expect(out).toContain('privilege VirtualMachine.Config.Rename on the folder')
  expect(out).toContain('breaks: ready VMs cannot be claimed')
  expect(out).toMatch(/ok +datastore LocalDS_0/)
  expect(out).not.toContain(`"${sim.password}"`)
})

test('places that are not there are named', async () => {
  const { code, out } = await check('datastoreString = "nowhere"\nresourcePoolString = "no-pool"', '')
  expect(code).toBe(1)
  expect(out).toContain('there is no datastore "nowhere"')
  expect(out).toContain('there is no resource pool "no-pool"')
})
