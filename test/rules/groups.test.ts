import { expect, test } from 'vitest'
import type { SetUp } from '../peers/set-up.ts'
import { isHeavy, table, type Group } from '../peers/table.ts'
import { type GroupRunner, planText, preparePeers, runGroup, runGroups, skipHeavy, sortGroups } from '../runner/groups.ts'
import { Report } from '../runner/report.ts'

const group: Group = {
  name: 'birds',
  about: 'what birds do',
  tests: ['test/peers/birds/song.test.ts'],
  peers: ['finch', 'wren'],
  seconds: 100,
}
const ready: SetUp = { outcome: 'ready', program: 'bin/bird', folder: 'bird-1.0' }

/** A run in which peers are set up as the test says, and a file has seven tests, all of which pass. */
function makeRun(peers: Readonly<Record<string, SetUp>> = {}) {
  const lines: string[] = []
  const tried: string[] = []
  const runner: GroupRunner = {
    setUpPeer: async name => {
      tried.push(name)
      return peers[name] ?? ready
    },
    runTests: async ({ files = [] }) => ({ passed: 7 * files.length, failed: 0, skipped: 0 }),
    countTests: async ({ files = [] }) => 7 * files.length,
  }
  // Without the seconds, which differ.
  const report = new Report(line => lines.push(line.replace(/^\[.*?\] /, '')))
  return { lines, tried, runner, report }
}

test('a group runs once all its peers are there', async () => {
  const { lines, tried, runner, report } = makeRun()
  await runGroup(group, report, { ci: false }, runner)
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
  const { lines, tried, runner, report } = makeRun({ finch: { outcome, reason: 'no feathers' } })
  await runGroup(group, report, { ci }, runner)
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
  const { lines, tried, runner, report } = makeRun()
  await skipHeavy([group, { ...group, name: 'beasts' }], report, runner)
  report.close()
  expect(tried).toEqual([])
  expect(lines).toEqual([expect.stringMatching(/^not run: birds, beasts .*AVIARY_PEERS=all npm test$/), '0 passed, 0 failed, 14 skipped'])
  await skipHeavy([], report, runner)
  expect(lines).toHaveLength(2)
})

test('groups that mostly wait run beside the others, and each lane runs its groups one after another', async () => {
  const { lines, runner, report } = makeRun()
  const named = (name: string, mostlyWaits: boolean): Group => ({ ...group, name, mostlyWaits })
  const running = new Set<string>()
  const beside: string[][] = []
  const slow: GroupRunner = {
    ...runner,
    runTests: async ({ onFailure }) => {
      const lane = onFailure === undefined ? 'busy' : 'waiting'
      expect(running.has(lane)).toBe(false)
      running.add(lane)
      await new Promise(resolve => setImmediate(resolve))
      beside.push([...running].toSorted())
      running.delete(lane)
      return { passed: 1, failed: 0, skipped: 0 }
    },
  }
  const groups = [named('a', false), named('b', true), named('c', false), named('d', true)]
  await runGroups(groups, report, { ci: true, prepared: new Set(['finch', 'wren']) }, slow)
  expect(beside).toContainEqual(['busy', 'waiting'])
  expect(
    lines
      .filter(line => line.endsWith('1 passed, 0 failed, 0 skipped'))
      .map(line => line.slice(0, 1))
      .toSorted(),
  ).toEqual(['a', 'b', 'c', 'd'])
})

test('a group whose peers are set up runs before one that has to wait for a build', async () => {
  const { lines, runner, report } = makeRun()
  const groups = [group, { ...group, name: 'beasts', peers: ['fox'] }]
  await runGroups(groups, report, { ci: true, prepared: new Set(['fox']) }, runner)
  expect(lines.filter(line => line.includes('running')).map(line => line.split(':')[0])).toEqual(['beasts', 'birds'])
})

test('peers are set up one after another, also when one fails, and are known as done', async () => {
  const { runner, report } = makeRun()
  const order: string[] = []
  const failing: GroupRunner = {
    ...runner,
    setUpPeer: async name => {
      order.push(`${name} begins`)
      await new Promise(resolve => setImmediate(resolve))
      order.push(`${name} ends`)
      if (name === 'finch') throw new Error('no feathers')
      return ready
    },
  }
  const done = preparePeers([group, group], report, failing)
  while (done.size < 2) await new Promise(resolve => setImmediate(resolve))
  expect(order).toEqual(['finch begins', 'finch ends', 'wren begins', 'wren ends'])
})

test('the first line of a run says what runs and how long it takes: the longer lane counts', () => {
  const waiting = { ...group, name: 'nests', mostlyWaits: true, seconds: 6_000 }
  expect(planText([group, waiting])).toMatch(/fast, long and 2 groups .*\(finch, wren\): about 10[0-9] minutes/)
})
