import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { goFor } from '../go.ts'
import type { Workbench } from '../set-up.ts'

const source = fileURLToPath(new URL('../../../bench/kubernetes-engine/client-go', import.meta.url))

/** Builds the client-go program that the engine is measured against. */
export async function build(bench: Workbench): Promise<void> {
  const go = await goFor(bench)
  const folder = join(bench.scratch, 'client-go-sync')
  cpSync(source, folder, { recursive: true })
  await go(['build', '-trimpath', '-ldflags', '-s -w', '-o', join(bench.into, 'client-go-sync'), '.'], folder)
}
