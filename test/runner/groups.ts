import { setUpPeer, type SetUp } from '../peers/set-up.ts'
import { isHeavy, table, type Group } from '../peers/table.ts'
import { countsText, oneFailed, type Counts, type Report } from './report.ts'
import { countTests, runTests, type Selection } from './tests.ts'

/** A group of tests that need no peer. */
export interface OwnGroup {
  readonly name: string
  readonly about: string
  readonly config: string
}

/** What `npm run test:fast` runs. */
export const fast: OwnGroup = {
  name: 'fast',
  about: 'everything that needs neither a peer nor more than a moment',
  config: 'vitest.config.ts',
}

/** The groups without peers, in the order in which they run. */
export const ownGroups: readonly OwnGroup[] = [
  fast,
  {
    name: 'long',
    about: 'what needs no peer but seconds: it waits for real, starts processes, or tells many stories',
    config: 'vitest-long.config.ts',
  },
]

function selectionOf(group: Group): Selection {
  return { config: 'test/peers/vitest.config.ts', files: group.tests }
}

/** What a run of groups stands on. */
export interface Means {
  setUpPeer(name: string, say: (line: string) => void): Promise<SetUp>
  runTests(selection: Selection): Promise<Counts>
  countTests(selection: Selection): Promise<number>
}

const realMeans: Means = { setUpPeer, runTests, countTests }

/** Runs a group that needs no peer. */
export async function runOwn({ name, config }: OwnGroup, report: Report): Promise<void> {
  report.say(name, 'running')
  const counts = await runTests({ config })
  report.say(name, countsText(counts))
  report.add(counts)
}

/** Runs one group of peer tests, or says why not. */
export async function runGroup(group: Group, report: Report, ci: boolean, means: Means = realMeans): Promise<void> {
  for (const peer of group.peers) {
    const setUp = await means.setUpPeer(peer, line => report.say(group.name, line))
    if (setUp.outcome === 'ready') continue
    const fails = setUp.outcome === 'failed' && ci
    if (fails) report.add(oneFailed)
    report.say(group.name, `${fails ? 'failed' : 'skipped'}: ${peer} is missing: ${setUp.reason}`)
    return report.add({ passed: 0, failed: 0, skipped: await means.countTests(selectionOf(group)) })
  }
  report.say(group.name, `running (${group.about})`)
  const counts = await means.runTests(selectionOf(group))
  report.say(group.name, countsText(counts))
  report.add(counts)
}

/** Says in one line which groups are not run because they are heavy, and how to run them. */
export async function skipHeavy(groups: readonly Group[], report: Report, means: Means = realMeans): Promise<void> {
  if (groups.length === 0) return
  const names = groups.map(group => group.name).join(', ')
  report.say('not run', `${names} (heavy: they build or install large programs). To run them: AVIARY_PEERS=all npm test`)
  const files = groups.flatMap(group => group.tests)
  report.add({ passed: 0, failed: 0, skipped: await means.countTests({ config: 'test/peers/vitest.config.ts', files }) })
}

/** The groups of the table, those that run here and those that are too heavy for here. */
export function sortGroups(heavyToo: boolean): { readonly run: readonly Group[]; readonly tooHeavy: readonly Group[] } {
  return {
    run: table.groups.filter(group => heavyToo || !isHeavy(group)),
    tooHeavy: table.groups.filter(group => !heavyToo && isHeavy(group)),
  }
}
