import { ClusterPool } from '../../kinds/index.ts'
import type { ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import { Usage } from '../errors.ts'
import type { Io } from '../io.ts'

/** `aviary pool scale` */
export async function run([name = '', wanted = '']: readonly string[], options: ConnectionOptions, io: Io): Promise<void> {
  if (!/^\d+$/.test(wanted))
    throw Usage({ what: `"${wanted}" is no number of clusters`, fix: 'write for example: aviary pool scale NAME 3' })
  const size = Number(wanted)
  await connected(options, io, async ({ store, where }) => {
    const pool = await store.get(ClusterPool, { ...where(ClusterPool), name })
    await store.update(ClusterPool, { ...pool, spec: { ...pool.spec, size } })
    io.out(`${name} scaled from ${pool.spec.size} to ${size}\n`)
  })
}
