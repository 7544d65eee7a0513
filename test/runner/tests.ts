import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tool } from './command.ts'
import { oneFailed, type Counts } from './report.ts'

/** What vitest runs: a configuration, and files to which it is limited. */
export interface Selection {
  readonly config: string
  readonly files?: readonly string[]
  /** Gets what vitest printed, only if a test failed. Without it vitest prints to the terminal itself. */
  readonly onFailure?: (output: string) => void
}

/** The part of vitest's JSON report that we read. */
interface JsonReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[]
}

/** Runs tests with vitest and counts them. */
export async function runTests({ config, files = [], onFailure }: Selection): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'aviary-test-'))
  try {
    const file = join(folder, 'report.json')
    const reporters = [process.stdout.isTTY ? '--reporter=default' : '--reporter=dot', '--reporter=json', `--outputFile.json=${file}`]
    const { ok, output } = await tool('vitest', ['run', '--config', config, ...reporters, ...files], { live: onFailure === undefined })
    if (!ok) onFailure?.(output)
    // Without a report not even vitest itself got going.
    if (!existsSync(file)) return oneFailed
    return count(JSON.parse(readFileSync(file, 'utf8')), ok)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** How many tests there are, without running them. Files are loaded, because suites that several files share cannot be seen in their text. */
export async function countTests({ config, files = [] }: Selection): Promise<number> {
  const { ok, output } = await tool('vitest', ['list', '--json', '--no-static-parse', '--config', config, ...files])
  if (!ok) return files.length
  return (JSON.parse(output.slice(output.indexOf('['))) as unknown[]).length
}

/** Sums a report up. A file that could not even be loaded is a failure, and so is a run that failed for no test's sake. */
export function count(report: JsonReport, ok: boolean): Counts {
  const unloaded = report.testResults.filter(result => result.status === 'failed' && result.assertionResults.length === 0).length
  const failed = report.numFailedTests + unloaded
  return {
    passed: report.numPassedTests,
    failed: ok ? failed : Math.max(failed, 1),
    skipped: report.numPendingTests + report.numTodoTests,
  }
}
