import { join } from 'node:path'
import type { Workbench } from '../set-up.ts'

/** Makes a Python environment with pyvmomi, VMware's own client: the independent reader of what Aviary did. */
export async function build(bench: Workbench): Promise<void> {
  await bench.run('python3', ['-m', 'venv', bench.into])
  await bench.run(join(bench.into, 'bin', 'python'), [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    `pyvmomi==${bench.version}`,
  ])
}
