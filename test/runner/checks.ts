import { availableParallelism } from 'node:os'
import { tool } from './command.ts'
import { oneFailed, onePassed, type Report } from './report.ts'

/** A tool that looks at the code without running it. */
export interface Check {
  readonly name: string
  readonly about: string
  readonly command: readonly [string, ...string[]]
  /** What repairs what it finds, if something can. */
  readonly repair?: readonly [string, ...string[]]
}

/** tsc's own number, but each works out types for itself that the others need too: more of them than cores are a loss. */
const checkers = Math.min(4, availableParallelism())

/** Every check, in the order in which they run. */
export const checks: readonly Check[] = [
  { name: 'types', about: 'TypeScript finds no type error', command: ['tsc', '-p', '.', '--checkers', String(checkers)] },
  { name: 'lint', about: 'oxlint finds nothing', command: ['oxlint'], repair: ['oxlint', '--fix'] },
  { name: 'format', about: 'every file is formatted by oxfmt', command: ['oxfmt', '--check'], repair: ['oxfmt'] },
  { name: 'unused', about: 'knip finds no unused file, export or dependency', command: ['knip'] },
]

/** Runs one check; shows what the tool printed only if it failed. */
export async function runCheck(check: Check, report: Report): Promise<void> {
  const [command, ...args] = check.command
  const { ok, output } = await tool(command, args)
  if (!ok) report.show(output)
  const hint = check.repair === undefined ? '' : ' (npm run fix repairs what can be repaired)'
  report.say(check.name, ok ? 'passed' : `failed: ${check.command.join(' ')}${hint}`)
  report.add(ok ? onePassed : oneFailed)
}

/** Repairs what can be repaired. Gives the exit code. */
export async function repairAll(): Promise<number> {
  let worst = 0
  for (const { repair } of checks) {
    if (repair === undefined) continue
    const [command, ...args] = repair
    const { ok } = await tool(command, args, { live: true })
    if (!ok) worst = 1
  }
  return worst
}
