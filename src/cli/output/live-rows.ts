import { tableText } from './table.ts'

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
  if (form.output === 'json') return `${JSON.stringify(items.map(form.plain), null, 2)}\n`
  if (form.output === 'name') return items.map(item => `${form.nameOf(item)}\n`).join('')
  const shown = form.columns.filter(({ wide }) => wide !== true || form.output === 'wide')
  return tableText(
    shown.map(({ heading }) => heading),
    items.map(item => shown.map(({ cell }) => cell(item))),
    form.width,
  )
}

/** Items that have changed, without the headings: one line each, JSON included. */
export function changeText<T>(items: readonly T[], form: LiveForm<T>): string {
  if (form.output === 'json') return items.map(item => `${JSON.stringify(form.plain(item))}\n`).join('')
  const text = listText(items, form)
  return form.output === 'name' ? text : text.slice(text.indexOf('\n') + 1)
}
