import { stringify } from 'yaml'
import { allKinds, crd } from '../../kinds/index.ts'
import type { Io } from '../io.ts'
import { forKubectl } from '../kubectl-yaml.ts'

/** `aviary crds` */
export async function run(_args: readonly string[], _options: object, io: Io): Promise<void> {
  const documents = allKinds.filter(kind => !kind.builtIn).map(kind => stringify(crd(kind), { ...forKubectl, lineWidth: 0 }))
  io.out(documents.join('---\n'))
}
