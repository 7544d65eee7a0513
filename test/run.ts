import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { isHeavy, table } from './peers/table.ts'
import { checks, repairAll, runCheck } from './runner/checks.ts'
import { Interrupted } from './runner/command.ts'
import { fast, ownGroups, planText, preparePeers, runGroup, runGroups, runOwn, skipHeavy, sortGroups } from './runner/groups.ts'
import { Report } from './runner/report.ts'

const usage = `usage: npm test [-- options]

  --group NAME   run only this check or group (may be given several times)
  --list         print the names of all checks and groups
  --fast         run the checks and the fast group
  --since REV    if only documents differ from REV, run what they can break: format, fast, readme; else everything
  --checks       run the checks
  --fix          repair what lint and format can repair

Heavy groups run when CI=true or AVIARY_PEERS=all, or when they are named.`

/** Runs checks and tests as the arguments say. Gives the exit code: 0 only if nothing failed. */
export async function main(args: readonly string[]): Promise<number> {
  const options = read(args)
  if (options === undefined) return 2
  if (options.list) return list()
  try {
    return options.fix ? await repairAll() : await runAll(options)
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    process.kill(process.pid, error.signal)
    return 1
  }
}

async function runAll(options: Options): Promise<number> {
  const ci = process.env['CI'] === 'true'
  const report = new Report()
  if (options.group.length > 0) return await runNamed(options.group, report, ci)
  if (options.fast || options.checks) {
    for (const check of checks) await runCheck(check, report)
    if (options.fast) await runOwn(fast, report)
    return report.close()
  }
  if (options.since !== undefined && touchesOnlyDocs(options.since)) return await runNamed(docsGroups, report, ci)
  const { run, tooHeavy } = sortGroups(ci || process.env['AVIARY_PEERS'] === 'all')
  report.say('plan', planText(run))
  const prepared = preparePeers(run, report)
  for (const check of checks) await runCheck(check, report)
  for (const group of ownGroups) await runOwn(group, report)
  await runGroups(run, report, { ci, prepared })
  await skipHeavy(tooHeavy, report)
  return report.close()
}

/** What can fail by a change of documents alone: their format, the rules about them, and the commands in the README. */
const docsGroups = ['format', 'fast', 'readme']

function touchesOnlyDocs(revision: string): boolean {
  const files = execFileSync('git', ['diff', '--name-only', revision], { encoding: 'utf8' }).split('\n').filter(Boolean)
  return files.every(file => /\.(md|svg)$/.test(file))
}

async function runNamed(names: readonly string[], report: Report, ci: boolean): Promise<number> {
  const unknown = names.filter(name => !allNames().includes(name))
  if (unknown.length > 0) {
    process.stderr.write(`No group is called ${unknown.join(' or ')}. There are: ${allNames().join(', ')}\n`)
    return 2
  }
  for (const check of checks) if (names.includes(check.name)) await runCheck(check, report)
  for (const group of ownGroups) if (names.includes(group.name)) await runOwn(group, report)
  for (const group of table.groups) if (names.includes(group.name)) await runGroup(group, report, { ci })
  return report.close()
}

function allNames(): string[] {
  return [...checks.map(check => check.name), ...ownGroups.map(group => group.name), ...table.groups.map(group => group.name)]
}

function list(): number {
  const lines = [
    ...checks.map(check => [check.name, check.about]),
    ...ownGroups.map(group => [group.name, group.about]),
    ...table.groups.map(group => [group.name, `${group.about}${isHeavy(group) ? ' (heavy)' : ''}`]),
  ]
  for (const [name = '', about] of lines) process.stdout.write(`${name.padEnd(20)} ${about}\n`)
  return 0
}

type Options = NonNullable<ReturnType<typeof read>>

function read(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        group: { type: 'string', multiple: true, default: [] },
        list: { type: 'boolean', default: false },
        fast: { type: 'boolean', default: false },
        checks: { type: 'boolean', default: false },
        fix: { type: 'boolean', default: false },
        since: { type: 'string' },
      },
    })
    return values
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}\n`)
    return undefined
  }
}
