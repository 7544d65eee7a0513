import { allKinds } from '../../kinds/index.ts'
import type { Resource } from '../../kinds/index.ts'
import { explain, explainText, storeReader } from '../../control/index.ts'
import type { Connection, ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import type { Io } from '../io.ts'
import { jobNamed, jobStory, workerText } from '../job-story.ts'
import { namedObject } from '../object-names.ts'

/** Kinds that tell about others, or hold nothing that anybody waits for: following them would only cost lists. */
const followed = allKinds.filter(kind => !['Event', 'Lease', 'CustomResourceDefinition', 'AccessToken', 'AccessGrant'].includes(kind.name))

/** `aviary why`: of an object, or of a job of CDS. */
export async function run(args: readonly string[], options: ConnectionOptions, io: Io): Promise<void> {
  const job = jobNamed(args)
  if (job !== undefined) {
    return connected(options, io, async connection => {
      const story = await jobStory(job, connection, io.signal)
      io.out('worker' in story ? workerText(job, story.worker) : await explained(story.spawn, connection, io))
    })
  }
  const { kind, name } = namedObject(args)
  await connected(options, io, async connection => {
    const { store, where } = connection
    io.out(await explained(await store.get(kind, { ...where(kind), name }), connection, io))
  })
}

async function explained(object: Resource, { store }: Connection, { clock, columns }: Io): Promise<string> {
  const now = clock.now()
  const explanation = await explain(object, storeReader(store, followed), { now })
  return explainText(explanation, { now, width: Math.min(columns ?? 80, 100) })
}
