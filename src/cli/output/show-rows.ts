import type { Io } from '../io.ts'
import { followedRows, listText, type LiveForm } from './live-rows.ts'

/** Shows what a live list holds now. Returns what shows more of it, if it is followed. */
export function showRows<T>(
  items: readonly T[],
  form: LiveForm<T>,
  { watch = false, none }: { readonly watch: boolean | undefined; readonly none: string },
  io: Io,
): ((more: readonly T[]) => void) | undefined {
  if (watch) {
    const textOf = followedRows(form)
    io.out(textOf(items))
    return more => io.out(textOf(more))
  }
  if (items.length > 0 || form.output === 'json') io.out(listText(items, form))
  else io.err(`${none}\n`)
  return undefined
}
