import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { goFor } from '../go.ts'
import type { Workbench } from '../set-up.ts'

/** Builds the small program on govmomi that the vSphere benchmark compares itself with. */
export async function build(bench: Workbench): Promise<void> {
  const go = await goFor(bench)
  const folder = join(bench.scratch, 'govmomi-bench')
  mkdirSync(folder)
  copyFileSync(fileURLToPath(new URL('../../../bench/vsphere/govmomi/main.go', import.meta.url)), join(folder, 'main.go'))
  writeFileSync(join(folder, 'go.mod'), `module govmomibench\n\ngo 1.19\n\nrequire github.com/vmware/govmomi v${bench.version}\n`)
  await go(['mod', 'tidy'], folder)
  await go(['build', '-trimpath', '-o', join(bench.into, 'govmomi-bench'), '.'], folder)
}
