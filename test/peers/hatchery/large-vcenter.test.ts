import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { play } from '../../../src/cli/testing/played-io.ts'
import { operatorFile } from '../../../src/hatchery/testing/operator-file.ts'
import { startVcsim, type Vcsim } from '../peer.ts'
import { connectTo, thumbprintOf } from '../vsphere/vcenter.ts'

let sim: Vcsim
let folder: string

beforeAll(async () => {
  sim = await startVcsim({ vms: 2, clusters: 2, datacenters: 2 })
  folder = await mkdtemp(join(tmpdir(), 'aviary-large-vcenter-'))
})

afterAll(async () => {
  await sim?.stop()
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
})

async function check(more: string) {
  const file = join(folder, 'cds.toml')
  await writeFile(file, operatorFile({ more: `thumbprint = "${await thumbprintOf(sim.url)}"\n${more}` }))
  const environment = {
    CDS_HATCHERY_VSPHERE_ENDPOINT: new URL(sim.url).host,
    CDS_HATCHERY_VSPHERE_USER: sim.user,
    CDS_HATCHERY_VSPHERE_PASSWORD: sim.password,
  }
  return await play(['hatchery', 'check', '--config', file], { environment, folder, columns: 200 })
}

test('where a datacenter has several clusters, whoever names no resource pool is told which there are', async () => {
  const { code, out } = await check('')
  expect(code).toBe(1)
  expect(out).toContain('resourcePool: must be given, because there are several')
  expect(out).toContain('choose one of DC0_C0/Resources, DC0_C1/Resources')
})

test('each of those names is understood', async () => {
  for (const pool of ['DC0_C0/Resources', 'DC0_C1/Resources']) {
    const { out } = await check(`resourcePoolString = "${pool}"`)
    expect(out).toMatch(new RegExp(`ok +resource pool ${pool}`))
  }
})

test('VMs of other datacenters are not seen', async () => {
  await using vcenter = await connectTo(sim, { datacenter: 'DC1', resourcePool: 'DC1_C0/Resources' })
  const names = Array.from(vcenter.platform.inventory.all(), ({ name }) => name).toSorted()
  expect(names).toEqual(['DC1_C0_RP0_VM0', 'DC1_C0_RP0_VM1', 'DC1_C1_RP0_VM0', 'DC1_C1_RP0_VM1'])
})
