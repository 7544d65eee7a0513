import { allKinds } from '../../kinds/index.ts'
import type { Kind, Resource } from '../../kinds/index.ts'
import { explain, explainText, storeReader } from '../../control/index.ts'
import type { Connection, ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import { findObject } from '../find-object.ts'
import type { Io } from '../io.ts'
import { jobStory, namedInCds, ownerText, workerStory, workerText } from '../job-story.ts'
import { namedObject } from '../object-names.ts'

/** Kinds that tell about others, or hold nothing that anybody waits for: following them would only cost lists. */
const followed = allKinds.filter(kind => !['Event', 'Lease', 'CustomResourceDefinition', 'AccessToken', 'AccessGrant'].includes(kind.name))

/** `aviary why`: of an object, or of a job or worker of CDS. */
export async function run(args: readonly string[], options: ConnectionOptions, io: Io): Promise<void> {
  const inCds = namedInCds(args)
  if (inCds !== undefined) {
    return connected(options, io, async connection => {
      const story = await (inCds.what === 'job' ? jobStory : workerStory)(inCds.name, connection, io.signal)
      if ('worker' in story) return io.out(workerText(story.worker))
      const { spawns } = story
      const texts = spawns.map(async spawn => `${ownerText(spawn, spawns)}${await explained(spawn, connection, io)}`)
      io.out((await Promise.all(texts)).join('\n'))
    })
  }
  const { kind, name } = namedObject(args)
  await connected(options, io, async connection => {
    const object = await findObject(connection, kind, name)
    io.out(await explained(object, connection, io))
    if (!('status' in object) && reportsConditions(kind)) io.out(`\n${nobodyLooked(kind)}`)
  })
}

async function explained(object: Resource, { store }: Connection, { clock, columns }: Io): Promise<string> {
  const now = clock.now()
  const explanation = await explain(object, storeReader(store, followed), { now })
  return explainText(explanation, { now, width: Math.min(columns ?? 80, 100) })
}

function reportsConditions({ schema }: Kind): boolean {
  return schema.properties?.['status']?.properties?.['conditions'] !== undefined
}

function nobodyLooked({ name }: Kind): string {
  return `No controller has looked at it. If that stays so, the server does not run the
service that keeps objects of kind ${name}: its configuration switches it on
(docs/configuration.md).
`
}
