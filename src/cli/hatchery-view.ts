import { connected, type Connection, type ConnectionOptions } from './connection.ts'
import type { Io } from './io.ts'
import { rowChanges, type Rows } from './row-changes.ts'
import { serverRefusal } from './server-refusal.ts'
import type { LiveForm } from './output/live-rows.ts'
import { showRows } from './output/show-rows.ts'

/** How a live table is wanted. */
export interface ViewOptions extends ConnectionOptions {
  readonly output: LiveForm<never>['output']
  readonly watch?: boolean
}

/** One of the hatchery's live tables. */
export interface View<T> extends Pick<LiveForm<T>, 'columns'>, Rows<T> {
  /** The last part of its path. */
  readonly name: string
  /** What is said if it is empty. */
  readonly none: string
}

/** How often `--watch` looks again: the tables come from the server's memory. */
const lookEvery = 2_000

/** Shows a live table of the hatchery, and with `--watch` the rows that change. */
export async function showView<T extends object>(view: View<T>, options: ViewOptions, io: Io): Promise<void> {
  const form: LiveForm<T> = { ...view, output: options.output, width: io.columns, plain: row => row }
  await connected(options, io, async connection => {
    let { items, line } = await read<T>(connection, view.name, io.signal)
    const sayLine = () => {
      if (line !== undefined && (options.output === 'table' || options.output === 'wide')) io.out(`${line}\n`)
    }
    const showMore = showRows(items, form, { watch: options.watch, none: view.none }, io)
    sayLine()
    if (showMore === undefined) return
    while (!io.signal.aborted) {
      await io.clock.sleep(lookEvery, io.signal).catch(() => {})
      if (io.signal.aborted) return
      const before = { items, line }
      ;({ items, line } = await read<T>(connection, view.name, io.signal))
      const changed = rowChanges(before.items, items, view)
      if (changed.length > 0) showMore(changed)
      if (line !== before.line) sayLine()
    }
  })
}

/** A table as the server has it. */
interface LiveTable<T> {
  readonly items: readonly T[]
  /** What is said of it as a whole. */
  readonly line?: string
}

/** Reads a table. Rejects as the commands that read objects do. */
export async function read<T>({ http, access }: Connection, name: string, signal: AbortSignal): Promise<LiveTable<T>> {
  const headers = await access.credentials.headers()
  const answer = await http.send({ method: 'GET', url: `${access.server}/hatchery/${name}`, headers, signal })
  if (answer.status !== 200) throw serverRefusal(answer, noHatchery)
  return JSON.parse(answer.text()) as LiveTable<T>
}

const noHatchery = {
  message: 'this server runs no hatchery',
  fix: 'give it a [hatchery.vsphere] section, or start one with `aviary hatchery --config FILE`',
}
