/** Columns that nobody has to scroll for: what is too wide is cut, the widest columns first, but none below this. */
const narrowest = 8
const [gap, narrowGap] = [3, 2]

/** Columns by which an object is named. They are cut last: the next command needs the name whole. */
const naming = ['NAME', 'NAMESPACE']

/** Rows under headings, in aligned columns. With `width` no line is longer than that; without, nothing is cut. */
export function tableText(headings: readonly string[], rows: readonly (readonly string[])[], width?: number): string {
  return new Table(headings, width).text(rows)
}

/** A table whose rows come bit by bit. Its columns only ever grow, so that what is shown later stands below what was shown first. */
export class Table {
  readonly #headings: readonly string[]
  readonly #width: number | undefined
  readonly #widths: number[]
  #hasHeadings = false

  constructor(headings: readonly string[], width?: number) {
    this.#headings = headings.map(heading => heading.toUpperCase())
    this.#width = width
    this.#widths = this.#headings.map(length)
  }

  /** The next rows as text, the first of them under the headings. */
  text(rows: readonly (readonly string[])[]): string {
    for (const row of rows)
      for (const [column, cell] of row.entries()) this.#widths[column] = Math.max(this.#widths[column] ?? 0, length(cell))
    const lines = this.#hasHeadings ? rows : [this.#headings, ...rows]
    this.#hasHeadings = true
    const [widths, blanks] = this.#fitting()
    return lines.map(row => line(row, widths, blanks)).join('')
  }

  #fitting(): readonly [widths: readonly number[], blanks: string] {
    const widths = [...this.#widths]
    const excess = (between: number) => sum(widths) + between * (widths.length - 1) - (this.#width ?? Infinity)
    if (excess(gap) <= 0) return [widths, ' '.repeat(gap)]
    const isNaming = (column: number) => column === 0 || naming.includes(this.#headings[column] as string)
    for (const cutsNames of [false, true])
      shrink(
        widths,
        excess(narrowGap),
        [...widths.keys()].filter(column => isNaming(column) === cutsNames),
      )
    return [widths, ' '.repeat(narrowGap)]
  }
}

/** Makes the widest of some columns narrower, until so much is saved or none can give more. */
function shrink(widths: number[], excess: number, columns: readonly number[]): void {
  for (let left = excess; left > 0; left--) {
    const widest = columns.reduce<number | undefined>(
      (most, column) => (most === undefined || (widths[column] as number) > (widths[most] as number) ? column : most),
      undefined,
    )
    if (widest === undefined || (widths[widest] as number) <= narrowest) return
    widths[widest] = (widths[widest] as number) - 1
  }
}

function line(cells: readonly string[], widths: readonly number[], blanks: string): string {
  return `${cells
    .map((cell, column) => cut(cell, widths[column] as number))
    .map((cell, column) => cell + ' '.repeat((widths[column] as number) - length(cell)))
    .join(blanks)
    .trimEnd()}\n`
}

function cut(cell: string, width: number): string {
  const plain = cell.replace(/\p{Cc}+/gu, ' ')
  return length(plain) <= width
    ? plain
    : `${Array.from(plain)
        .slice(0, width - 1)
        .join('')}…`
}

function length(text: string): number {
  return Array.from(text).length
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
