import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { goFor, type Go } from '../go.ts'
import type { Workbench } from '../set-up.ts'

const module = 'github.com/ovh/cds'

/**
 * Builds the CDS engine (the API, and the original hatchery to compare with), the migrations of its database, and `v2enqueue`,
 * which puts a V2 job into the queue as the API itself does after a push.
 *
 * The release's go.mod replaces two nested modules by folders that a module archive does not hold. Without these lines Go takes the
 * published version of one; the other is used by tests only.
 */
export async function build(bench: Workbench): Promise<void> {
  const go = await goFor(bench)
  const { Dir } = JSON.parse(await go(['mod', 'download', '-json', `${module}@v${bench.version}`], bench.scratch)) as { Dir: string }
  const source = join(bench.scratch, 'cds')
  cpSync(Dir, source, { recursive: true })
  await bench.run('chmod', ['-R', 'u+w', source])
  await go(['mod', 'edit', `-dropreplace=${module}/sdk/interpolate`, `-dropreplace=${module}/tools/smtpmock`], source)
  await compile(go, source, './engine', join(bench.into, 'engine'))
  cpSync(join(source, 'engine', 'sql', 'api'), join(bench.into, 'sql'), { recursive: true })
  await compile(go, enqueuer(bench, source), '.', join(bench.into, 'v2enqueue'))
}

function compile(go: Go, folder: string, target: string, program: string): Promise<string> {
  return go(['build', '-trimpath', '-ldflags', '-s -w', '-o', program, target], folder)
}

/** A module of its own on the release, with the versions that the release itself asks for. */
function enqueuer(bench: Workbench, source: string): string {
  const folder = join(bench.scratch, 'v2enqueue')
  mkdirSync(folder)
  const asked = readFileSync(join(source, 'go.mod'), 'utf8').replace(/^module .*/m, 'module v2enqueue')
  writeFileSync(join(folder, 'go.mod'), `${asked}\nrequire ${module} v${bench.version}\nreplace ${module} => ../cds\n`)
  copyFileSync(join(source, 'go.sum'), join(folder, 'go.sum'))
  copyFileSync(fileURLToPath(new URL('../cds/v2enqueue/main.go', import.meta.url)), join(folder, 'main.go'))
  return folder
}
