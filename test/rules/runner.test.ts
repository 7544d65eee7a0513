import { expect, test } from 'vitest'
import { Report } from '../runner/report.ts'
import { count } from '../runner/tests.ts'

const loaded = { status: 'passed', assertionResults: [{}] }
const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] }

test('single tests are counted, and what was left out is skipped', () => {
  const report = { numPassedTests: 5, numFailedTests: 2, numPendingTests: 1, numTodoTests: 1, testResults: [loaded] }
  expect(count(report, false)).toEqual({ passed: 5, failed: 2, skipped: 2 })
})

test('a file that cannot be loaded fails', () => {
  expect(count({ ...none, testResults: [{ status: 'failed', assertionResults: [] }] }, false)).toMatchObject({ failed: 1 })
})

test('a run that fails outside of its tests fails', () => {
  expect(count({ ...none, numPassedTests: 3, testResults: [loaded] }, false)).toEqual({ passed: 3, failed: 1, skipped: 0 })
})

test('a run ends with one line that sums everything up, and with 1 if something failed or nothing ran', () => {
  const lines: string[] = []
  const report = new Report(line => lines.push(line))
  report.add({ passed: 2, failed: 0, skipped: 1 })
  report.say('fast', 'running')
  report.add({ passed: 3, failed: 0, skipped: 0 })
  expect(report.close()).toBe(0)
  expect(lines).toEqual(['[   0 s] fast: running', '5 passed, 0 failed, 1 skipped'])

  report.add({ passed: 0, failed: 1, skipped: 0 })
  expect(report.close()).toBe(1)
  expect(new Report(() => {}).close()).toBe(1)
})

test('the end of a run lists the time of each group, slowest first', () => {
  const lines: string[] = []
  let now = 0
  const report = new Report(
    line => lines.push(line),
    () => now,
  )
  for (const [group, seconds] of [
    ['quick', 2],
    ['slow', 70],
  ] as const) {
    report.begin(group, 'running')
    now += seconds * 1_000
    report.end(group, { passed: 1, failed: 0, skipped: 0 })
  }
  report.close()
  expect(lines.slice(-4)).toEqual(['seconds per group:', '    70  slow', '     2  quick', '2 passed, 0 failed, 0 skipped'])
})
