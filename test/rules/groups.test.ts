import { expect, test } from 'vitest'
import type { SetUp } from '../peers/set-up.ts'
import { isHeavy, table, type Group } from '../peers/table.ts'
import { type Means, runGroup, skipHeavy, sortGroups } from '../runner/groups.ts'
import { Report } from '../runner/report.ts'

const group: Group = { name: 'birds', about: 'what birds do', tests: ['test/peers/birds/song.test.ts'], peers: ['finch', 'wren'] }
const ready: SetUp = { outcome: 'ready', program: 'bin/bird', folder: 'bird-1.0' }

/** A run in which peers are set up as the test says, and a file has seven tests, all of which pass. */
function makeRun(peers: Readonly<Record<string, SetUp>> = {}) {
  const lines: string[] = []
  const tried: string[] = []
  const means: Means = {
    setUpPeer: async name => {
      tried.push(name)
      return peers[name] ?? ready
    },
    runTests: async ({ files = [] }) => ({ passed: 7 * files.length, failed: 0, skipped: 0 }),
    countTests: async ({ files = [] }) => 7 * files.length,
  }
  // Without the seconds, which differ.
  const report = new Report(line => lines.push(line.replace(/^\[.*?\] /, '')))
  return { lines, tried, means, report }
}

test('a group runs once all its peers are there', async () => {
  const { lines, tried, means, report } = makeRun()
  await runGroup(group, report, false, means)
  expect(report.close()).toBe(0)
  expect(tried).toEqual(['finch', 'wren'])
  expect(lines).toEqual(['birds: running (what birds do)', 'birds: 7 passed, 0 failed, 0 skipped', '7 passed, 0 failed, 0 skipped'])
})

test.each([
  { what: 'what the machine lacks', outcome: 'unmet', ci: false, word: 'skipped', failed: 0 },
  { what: 'what the machine lacks', outcome: 'unmet', ci: true, word: 'skipped', failed: 0 },
  { what: 'a set-up that failed', outcome: 'failed', ci: false, word: 'skipped', failed: 0 },
  { what: 'a set-up that failed', outcome: 'failed', ci: true, word: 'failed', failed: 1 },
] as const)('$what: the group is $word with the reason if CI is $ci', async ({ outcome, ci, word, failed }) => {
  const { lines, tried, means, report } = makeRun({ finch: { outcome, reason: 'no feathers' } })
  await runGroup(group, report, ci, means)
  report.add({ passed: 1, failed: 0, skipped: 0 })
  expect(report.close()).toBe(failed)
  expect(tried).toEqual(['finch'])
  expect(lines).toEqual([`birds: ${word}: finch is missing: no feathers`, `1 passed, ${failed} failed, 7 skipped`])
})

test('heavy groups run only when they are asked for', () => {
  const { run, tooHeavy } = sortGroups(false)
  expect(run.filter(isHeavy)).toEqual([])
  expect(tooHeavy.filter(each => !isHeavy(each))).toEqual([])
  expect(new Set([...run, ...tooHeavy])).toEqual(new Set(table.groups))
  expect([run.length > 0, tooHeavy.length > 0]).toEqual([true, true])
  expect(sortGroups(true)).toEqual({ run: table.groups, tooHeavy: [] })
})

test('those that do not run are told of in one line, with the way to run them, and counted', async () => {
  const { lines, tried, means, report } = makeRun()
  await skipHeavy([group, { ...group, name: 'beasts' }], report, means)
  report.close()
  expect(tried).toEqual([])
  expect(lines).toEqual([expect.stringMatching(/^not run: birds, beasts .*AVIARY_PEERS=all npm test$/), '0 passed, 0 failed, 14 skipped'])
  await skipHeavy([], report, means)
  expect(lines).toHaveLength(2)
})
