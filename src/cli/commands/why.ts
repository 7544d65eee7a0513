import { allKinds } from '../../kinds/index.ts'
import { explain, explainText, storeReader } from '../../control/index.ts'
import type { ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import type { Io } from '../io.ts'
import { namedObject } from '../object-names.ts'

/** Kinds that tell about others, or hold nothing that anybody waits for: following them would only cost lists. */
const followed = allKinds.filter(kind => !['Event', 'Lease', 'CustomResourceDefinition', 'AccessToken', 'AccessGrant'].includes(kind.name))

/** `aviary why` */
export async function run(args: readonly string[], options: ConnectionOptions, io: Io): Promise<void> {
  const { kind, name } = namedObject(args)
  await connected(options, io, async ({ store, where }) => {
    const object = await store.get(kind, { ...where(kind), name })
    const now = io.clock.now()
    const explanation = await explain(object, storeReader(store, followed), { now })
    io.out(explainText(explanation, { now, width: Math.min(io.columns ?? 80, 100) }))
  })
}
