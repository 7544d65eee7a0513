import { Event } from '../../kinds/index.ts'
import { fieldSelectorValue } from '../../store/index.ts'
import { changes } from '../changes.ts'
import type { ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import { byTime, eventHeadings, eventRow } from '../events-of.ts'
import type { Io } from '../io.ts'
import { namedObject } from '../object-names.ts'
import { Table } from '../output/table.ts'

interface EventsOptions extends ConnectionOptions {
  readonly for?: string
  readonly allNamespaces?: boolean
  readonly watch?: boolean
}

/** `aviary events` */
export async function run(_args: readonly string[], options: EventsOptions, io: Io): Promise<void> {
  const object = options.for === undefined ? undefined : namedObject([options.for])
  const fieldSelector =
    object === undefined
      ? {}
      : { fieldSelector: `involvedObject.kind=${object.kind.name},involvedObject.name=${fieldSelectorValue(object.name)}` }
  await connected(options, io, async ({ store, where, namespace }) => {
    const selection = { ...where(Event, options.allNamespaces), ...fieldSelector }
    const page = await store.list(Event, selection)
    const events = page.items.map(item => item.object).toSorted(byTime)
    const isEverywhere = options.allNamespaces === true
    const table = new Table(isEverywhere ? ['Namespace', ...eventHeadings] : eventHeadings, io.columns)
    const show = (some: readonly Event[]) => {
      const now = io.clock.now()
      io.out(table.text(some.map(event => [...(isEverywhere ? [event.metadata.namespace ?? ''] : []), ...eventRow(event, now)])))
    }
    if (events.length > 0) show(events)
    else if (options.watch !== true)
      io.err(isEverywhere ? 'Nothing happened lately.\n' : `Nothing happened lately in namespace ${namespace}; -A shows all namespaces.\n`)
    if (options.watch !== true) return
    for await (const happened of changes(Event, { store, selection, after: page.resourceVersion }, io)) show(happened)
  })
}
