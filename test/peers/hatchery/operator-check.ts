import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { play } from '../../../src/cli/testing/played-io.ts'
import { operatorFile } from '../../../src/hatchery/testing/operator-file.ts'
import { servedCds } from '../../../src/hatchery/testing/served-cds.ts'
import type { Vcsim } from '../peer.ts'
import { thumbprintOf } from '../vsphere/vcenter.ts'

/** `aviary hatchery check` on a CDS operator's file with `more` lines and `tables`, against a vCenter and a CDS that lets it in. */
export async function operatorCheck(sim: Vcsim, more: string, tables = '') {
  const folder = await mkdtemp(join(tmpdir(), 'aviary-hatchery-check-'))
  try {
    await using cds = await servedCds()
    const file = join(folder, 'cds.toml')
    await writeFile(file, operatorFile({ more: `thumbprint = "${await thumbprintOf(sim.url)}"\n${more}`, tables }))
    const environment = {
      ...cds.environment,
      CDS_HATCHERY_VSPHERE_ENDPOINT: new URL(sim.url).host,
      CDS_HATCHERY_VSPHERE_USER: sim.user,
      CDS_HATCHERY_VSPHERE_PASSWORD: sim.password,
    }
    return await play(['hatchery', 'check', '--config', file], { environment, folder, columns: 200 })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
