import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Workbench } from '../set-up.ts'

const client = 'kubernetes==37.0.2'
/** The package that carries the collections, and the one that is taken out of its hundred. */
const carrier = 'ansible==12.3.0'
const collection = 'ansible_collections/kubernetes/core/'
const takeOut =
  'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); z.extractall(sys.argv[2], [n for n in z.namelist() if n.startswith(sys.argv[3])])'

/**
 * Makes a Python environment with the Kubernetes client and ansible-core, and the collection kubernetes.core beside it. The folder
 * is moved when it is complete, which the scripts of a virtual environment do not survive: call `bin/python -m ansible playbook`.
 */
export async function build(bench: Workbench): Promise<void> {
  await bench.run('python3', ['-m', 'venv', bench.into])
  const python = join(bench.into, 'bin', 'python')
  await bench.run(python, ['-m', 'pip', 'install', '--quiet', `ansible-core==${bench.version}`, client])
  await bench.run(python, ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', bench.scratch, carrier])
  const wheel = readdirSync(bench.scratch).find(name => name.endsWith('.whl'))
  if (wheel === undefined) throw new Error(`${carrier} came without a wheel`)
  await bench.run(python, ['-c', takeOut, join(bench.scratch, wheel), join(bench.into, 'collections'), collection])
}
