import { ageOf, Event } from '../../kinds/index.ts'
import { changes } from '../changes.ts'
import type { ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import { byTime, eventRow, eventHeadings, lastSeen } from '../events-of.ts'
import type { Io } from '../io.ts'
import { namedObject } from '../object-names.ts'
import { tableText } from '../output/table.ts'

interface EventsOptions extends ConnectionOptions {
  readonly for?: string
  readonly allNamespaces?: boolean
  readonly watch?: boolean
}

/** `aviary events` */
export async function run(_args: readonly string[], options: EventsOptions, io: Io): Promise<void> {
  const object = options.for === undefined ? undefined : namedObject([options.for])
  const fieldSelector =
    object === undefined ? {} : { fieldSelector: `involvedObject.kind=${object.kind.name},involvedObject.name=${object.name}` }
  await connected(options, io, async ({ store, where, namespace }) => {
    const selection = { ...where(Event, options.allNamespaces), ...fieldSelector }
    const page = await store.list(Event, selection)
    const events = page.items.map(item => item.object).toSorted(byTime)
    const now = io.clock.now()
    if (events.length > 0)
      io.out(
        tableText(
          eventHeadings,
          events.map(event => eventRow(event, now)),
          io.columns,
        ),
      )
    else if (options.watch !== true)
      io.err(`Nothing happened lately${options.allNamespaces === true ? '' : ` in namespace ${namespace}`}.\n`)
    if (options.watch !== true) return
    for await (const happened of changes(Event, { store, selection, after: page.resourceVersion }, io))
      for (const event of happened) io.out(eventLine(event, io.clock.now()))
  })
}

function eventLine(event: Event, now: number): string {
  const { involvedObject, type, reason, message } = event
  return `${ageOf(lastSeen(event), now)} ago  ${type}  ${reason}  ${involvedObject.kind}/${involvedObject.name}  ${message}\n`
}
