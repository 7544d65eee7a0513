import { setUpPeer, type SetUp } from '../peers/set-up.ts'
import { isHeavy, table, type Group } from '../peers/table.ts'
import { oneFailed, type Counts, type Report } from './report.ts'
import { countTests, runTests, type Selection } from './tests.ts'

/** A group of tests that need no peer. */
export interface OwnGroup {
  readonly name: string
  readonly about: string
  readonly config: string
  /** How long it takes on two cores. */
  readonly seconds: number
}

/** What `npm run test:fast` runs. */
export const fast: OwnGroup = {
  name: 'fast',
  about: 'everything that needs neither a peer nor more than a moment',
  config: 'vitest.config.ts',
  seconds: 90,
}

/** The groups without peers, in the order in which they run. */
export const ownGroups: readonly OwnGroup[] = [
  fast,
  {
    name: 'long',
    about: 'what needs no peer but seconds: it waits in real time, starts processes, or runs many simulations',
    config: 'vitest-long.config.ts',
    seconds: 90,
  },
]

/** What running a group needs from outside; tests replace it. */
export interface GroupRunner {
  setUpPeer(name: string, say: (line: string) => void): Promise<SetUp>
  runTests(selection: Selection): Promise<Counts>
  countTests(selection: Selection): Promise<number>
}

const realRunner: GroupRunner = { setUpPeer, runTests, countTests }

/** Runs a group that needs no peer. */
export async function runOwn({ name, config }: OwnGroup, report: Report): Promise<void> {
  report.begin(name, 'running')
  report.end(name, await runTests({ config }))
}

/**
 * Sets up what groups need, one peer after another, without waiting for it: downloads and builds run beside the checks. The set that it
 * returns fills with the peers that are done. A group that needs one of the others awaits the same set-up.
 */
export function preparePeers(groups: readonly Group[], report: Report, runner: GroupRunner = realRunner): ReadonlySet<string> {
  const done = new Set<string>()
  void (async () => {
    for (const name of new Set(groups.flatMap(group => group.peers))) {
      // The group that needs the peer reports why it is missing.
      await runner.setUpPeer(name, line => report.say('set-up', line)).catch(() => undefined)
      done.add(name)
    }
  })()
  return done
}

/** What a run of groups follows. */
export interface RunGroupsOptions {
  readonly ci: boolean
  /** The peers whose set-up is done. */
  readonly prepared: ReadonlySet<string>
}

/**
 * Runs groups in two lanes: those that mostly wait, one after another, beside those that keep the cores busy. A lane prefers a group
 * whose peers are there to one that would have to wait for a build.
 */
export async function runGroups(
  groups: readonly Group[],
  report: Report,
  { ci, prepared }: RunGroupsOptions,
  runner: GroupRunner = realRunner,
): Promise<void> {
  const lane = async (left: Group[], isQuiet: boolean) => {
    while (left.length > 0) {
      const ready = left.findIndex(group => group.peers.every(name => prepared.has(name)))
      const [next] = left.splice(Math.max(ready, 0), 1)
      if (next !== undefined) await runGroup(next, report, { ci, isQuiet }, runner)
    }
  }
  const busy = groups.filter(group => group.mostlyWaits !== true)
  const waiting = groups.filter(group => group.mostlyWaits === true)
  const lanes = await Promise.allSettled([lane(busy, false), lane(waiting, true)])
  for (const result of lanes) if (result.status === 'rejected') throw result.reason
}

/** Runs one group of peer tests, or says why not. A quiet one prints what the tests printed only if they failed. */
export async function runGroup(
  group: Group,
  report: Report,
  { ci, isQuiet = false }: { readonly ci: boolean; readonly isQuiet?: boolean },
  runner: GroupRunner = realRunner,
): Promise<void> {
  for (const peer of group.peers) {
    const setUp = await runner.setUpPeer(peer, line => report.say(group.name, line))
    if (setUp.outcome === 'ready') continue
    const fails = setUp.outcome === 'failed' && ci
    if (fails) report.add(oneFailed)
    report.say(group.name, `${fails ? 'failed' : 'skipped'}: ${peer} is missing: ${setUp.reason}`)
    return report.add({ passed: 0, failed: 0, skipped: await runner.countTests(selectionOf(group)) })
  }
  report.begin(group.name, `running (${group.about})`)
  const show = (text: string) => report.show(text)
  report.end(group.name, await runner.runTests({ ...selectionOf(group), ...(isQuiet && { onFailure: show }) }))
}

/** Says in one line which groups are not run because they are heavy, and how to run them. */
export async function skipHeavy(groups: readonly Group[], report: Report, runner: GroupRunner = realRunner): Promise<void> {
  if (groups.length === 0) return
  const names = groups.map(group => group.name).join(', ')
  report.say('not run', `${names} (heavy: they build or install large programs). To run them: AVIARY_PEERS=all npm test`)
  const files = groups.flatMap(group => group.tests)
  report.add({ passed: 0, failed: 0, skipped: await runner.countTests({ config: 'test/peers/vitest.config.ts', files }) })
}

/** The groups of the table, those that run here and those that are too heavy for here. */
export function sortGroups(heavyToo: boolean): { readonly run: readonly Group[]; readonly tooHeavy: readonly Group[] } {
  return {
    run: table.groups.filter(group => heavyToo || !isHeavy(group)),
    tooHeavy: table.groups.filter(group => !heavyToo && isHeavy(group)),
  }
}

/** The first line of a run: what it will do, and about how long that takes on two cores once the programs are set up. */
export function planText(groups: readonly Group[]): string {
  const sum = (list: readonly { readonly seconds: number }[]) => list.reduce((total, { seconds }) => total + seconds, 0)
  const busy = sum(groups.filter(group => group.mostlyWaits !== true))
  const waiting = sum(groups.filter(group => group.mostlyWaits === true))
  const minutes = Math.ceil((checksSeconds + sum(ownGroups) + Math.max(busy, waiting)) / 60)
  const peers = [...new Set(groups.flatMap(group => group.peers))]
  return `checks, ${ownGroups.map(group => group.name).join(', ')} and ${groups.length} groups with real programs (${peers.join(', ')}): about ${minutes} minutes on two cores, longer when programs have to be set up first`
}

const checksSeconds = 25

function selectionOf(group: Group): Selection {
  return { config: 'test/peers/vitest.config.ts', files: group.tests }
}
