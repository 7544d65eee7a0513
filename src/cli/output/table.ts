/** Columns that nobody has to scroll for: what is too wide is cut, the widest columns first, but none below this. */
const narrowest = 8
const gap = '   '

/** Rows under headings, in aligned columns. With `width` no line is longer than that; without, nothing is cut. */
export function tableText(headings: readonly string[], rows: readonly (readonly string[])[], width?: number): string {
  const widths = headings.map((heading, column) => rows.reduce((most, row) => Math.max(most, length(row[column] ?? '')), length(heading)))
  if (width !== undefined) shrink(widths, width - gap.length * (widths.length - 1))
  return [headings.map(heading => heading.toUpperCase()), ...rows].map(row => line(row, widths)).join('')
}

function shrink(widths: number[], room: number): void {
  let excess = widths.reduce((sum, each) => sum + each, 0) - room
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths))
    if ((widths[widest] as number) <= narrowest) return
    widths[widest] = (widths[widest] as number) - 1
    excess--
  }
}

function line(cells: readonly string[], widths: readonly number[]): string {
  return `${cells
    .map((cell, column) => cut(cell, widths[column] as number))
    .map((cell, column) => cell + ' '.repeat((widths[column] as number) - length(cell)))
    .join(gap)
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
