import type { Check } from '../../vsphere/index.ts'
import { tableText } from './table.ts'

/** What a doctor found: every check in a table, then for each that failed what breaks and how to fix it. */
export function checkReport(checks: readonly Check[], width: number | undefined): string {
  const failed = checks.filter(({ ok }) => !ok)
  const rows = checks.map(({ what, ok, found }) => [ok ? 'ok' : 'FAILED', what, ok ? (found ?? '') : ''])
  const summary = failed.length === 0 ? `All ${checks.length} checks are good.` : `${failed.length} of ${checks.length} checks failed:`
  const details = failed.map(({ what, found, breaks, fix }) =>
    [what, ...(found === undefined ? [] : [`  found:  ${found}`]), `  breaks: ${breaks ?? ''}`, `  fix:    ${fix ?? ''}`, ''].join('\n'),
  )
  return `${tableText(['Result', 'Check', 'Found'], rows, width)}\n${[summary, ...details].join('\n')}\n`.replace(/\n+$/, '\n')
}
