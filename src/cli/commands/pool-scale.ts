import { ClusterPool } from '../../kinds/index.ts'
import type { ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import { editObject } from '../edit-object.ts'
import { Usage } from '../errors.ts'
import type { Io } from '../io.ts'

/** `aviary pool scale` */
export async function run([name = '', wanted = '']: readonly string[], options: ConnectionOptions, io: Io): Promise<void> {
  if (!/^\d+$/.test(wanted))
    throw Usage({ what: `"${wanted}" is no number of clusters`, fix: 'write for example: aviary pool scale NAME 3' })
  const size = Number(wanted)
  await connected(options, io, async ({ store, where }) => {
    let before = size
    await editObject(store, ClusterPool, { ...where(ClusterPool), name }, pool => {
      before = pool.spec.size
      return { ...pool, spec: { ...pool.spec, size } }
    })
    io.out(`${name} scaled from ${before} to ${size}\n`)
  })
}
