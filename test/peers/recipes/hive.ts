import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { goFor } from '../go.ts'
import type { Workbench } from '../set-up.ts'

/** Takes the CRDs, samples and pages of Hive out of its Go module. Nothing is built. */
export async function build(bench: Workbench): Promise<void> {
  const go = await goFor(bench)
  const { Dir } = JSON.parse(await go(['mod', 'download', '-json', `github.com/openshift/hive@v${bench.version}`], bench.scratch)) as {
    Dir: string
  }
  for (const part of ['config/crds', 'config/samples', 'config/templates', 'docs'])
    cpSync(join(Dir, part), join(bench.into, part.replace('config/', '')), { recursive: true })
}
