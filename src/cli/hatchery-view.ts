import { connected, type Connection, type ConnectionOptions } from './connection.ts'
import type { Io } from './io.ts'
import { serverRefusal } from './server-refusal.ts'
import { changeText, type LiveForm, listText } from './output/live-rows.ts'

/** How a live table is wanted. */
export interface ViewOptions extends ConnectionOptions {
  readonly output: LiveForm<never>['output']
  readonly watch?: boolean
}

/** One of the hatchery's live tables. */
export interface View<T> extends Pick<LiveForm<T>, 'columns' | 'nameOf'> {
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
    let rows = await read<T>(connection, view.name, io.signal)
    if (options.watch !== true) {
      if (rows.length > 0 || options.output === 'json') io.out(listText(rows, form))
      else io.err(`${view.none}\n`)
      return
    }
    io.out(options.output === 'json' ? changeText(rows, form) : listText(rows, form))
    while (!io.signal.aborted) {
      await io.clock.sleep(lookEvery, io.signal).catch(() => {})
      if (io.signal.aborted) return
      const before = new Set(rows.map(row => JSON.stringify(row)))
      rows = await read<T>(connection, view.name, io.signal)
      const changed = rows.filter(row => !before.has(JSON.stringify(row)))
      if (changed.length > 0) io.out(changeText(changed, form))
    }
  })
}

/** The rows of a table. Rejects as the commands that read objects do. */
export async function read<T>({ http, access }: Connection, name: string, signal: AbortSignal): Promise<readonly T[]> {
  const headers = await access.credentials.headers()
  const answer = await http.send({ method: 'GET', url: `${access.server}/hatchery/${name}`, headers, signal })
  if (answer.status !== 200) throw serverRefusal(answer, noHatchery)
  return (JSON.parse(answer.text()) as { readonly items: readonly T[] }).items
}

const noHatchery = {
  message: 'this server runs no hatchery',
  fix: 'give it a [hatchery.vsphere] section, or start one with `aviary hatchery --config FILE`',
}
