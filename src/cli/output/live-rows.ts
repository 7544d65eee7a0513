import { Table } from './table.ts'

/** How what a live list shows is printed. */
export interface LiveForm<T> {
  readonly output: 'table' | 'wide' | 'json' | 'name'
  readonly width: number | undefined
  /** Headings with the cell of each item; those that are `wide` only in the wide form. */
  readonly columns: readonly { readonly heading: string; readonly wide?: boolean; readonly cell: (item: T) => string }[]
  readonly nameOf: (item: T) => string
  /** An item as JSON shows it. */
  readonly plain: (item: T) => object
}

/** All items at once. */
export function listText<T>(items: readonly T[], form: LiveForm<T>): string {
  return form.output === 'json' ? `${JSON.stringify(items.map(form.plain), null, 2)}\n` : followedRows(form)(items)
}

/** Items as text that goes on, call by call: one line for each, JSON included; headings come first and once. */
export function followedRows<T>(form: LiveForm<T>): (items: readonly T[]) => string {
  if (form.output === 'json') return items => items.map(item => `${JSON.stringify(form.plain(item))}\n`).join('')
  if (form.output === 'name') return items => items.map(item => `${form.nameOf(item)}\n`).join('')
  const shown = form.columns.filter(({ wide }) => wide !== true || form.output === 'wide')
  const table = new Table(
    shown.map(({ heading }) => heading),
    form.width,
  )
  return items => table.text(items.map(item => shown.map(({ cell }) => cell(item))))
}
