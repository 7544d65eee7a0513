import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Workbench } from '../set-up.ts'

/**
 * Unpacks Debian packages into the peer's folder, with those that they need and the machine lacks. Nothing is installed: no root is
 * needed, no service starts, and nothing stays on the machine but this folder.
 */
export async function unpackDebian(bench: Workbench, packages: readonly string[]): Promise<void> {
  const folder = join(bench.scratch, 'packages')
  mkdirSync(folder, { recursive: true })
  const plan = await missing(bench, packages).catch(async error => {
    // Without lists nobody knows the packages, and only root may fetch lists.
    if (process.getuid?.() !== 0) throw error
    await bench.run('apt-get', ['-qq', 'update'])
    return await missing(bench, packages)
  })
  await bench.run('apt-get', ['-qq', 'download', ...plan], { cwd: folder })
  for (const file of readdirSync(folder)) await bench.run('dpkg', ['-x', join(folder, file), bench.into])
}

/** The packages that an installation would bring, by name. */
async function missing(bench: Workbench, packages: readonly string[]): Promise<string[]> {
  const plan = await bench.run('apt-get', ['install', '--simulate', '--no-install-recommends', ...packages])
  const names = Array.from(plan.matchAll(/^Inst (\S+)/gm), ([, name]) => name ?? '')
  return [...new Set([...packages, ...names])]
}

/** Where programs out of unpacked packages find their libraries. */
export function librariesOf(folder: string): Record<string, string> {
  const places = ['usr/lib/x86_64-linux-gnu', 'usr/lib/aarch64-linux-gnu', 'lib/x86_64-linux-gnu', 'lib/aarch64-linux-gnu']
  return { LD_LIBRARY_PATH: places.map(place => join(folder, place)).join(':') }
}
