import type { Result } from './result.ts'

/** Results as a table for people. */
export function table(results: readonly Result[]): string {
  const head = ['', 'Aviary', 'peer', 'ratio', 'target', '']
  const rows = results.map(({ name, unit, value, peer, ratio, target = '', met }) => [
    name,
    `${number(value)} ${unit}`,
    peer === undefined ? '' : `${number(peer)} ${unit}`,
    ratio === undefined ? '' : `${number(ratio)}×`,
    target,
    met === undefined ? '' : met ? 'met' : 'missed',
  ])
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map(row => row[column]!.length)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd()
  return [line(head), ...rows.map(line)].join('\n')
}

/** Three digits that mean something. */
function number(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(3)))
}
