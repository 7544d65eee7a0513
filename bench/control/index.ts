import { median } from '../frame/median.ts'
import type { Result } from '../frame/result.ts'
import type { SuiteOptions } from '../run.ts'
import { run as simulatedHour } from './simulated-hour.ts'
import { run as threeSteps } from './three-steps.ts'
import { run as trivialPasses } from './trivial-passes.ts'

/** The benchmark of the controller runtime. Nothing to compare it with is at hand; the targets are absolute. */
export async function suite({ only, quick, rounds = quick ? 1 : 5, say }: SuiteOptions): Promise<readonly Result[]> {
  const objects = quick ? 2_000 : 10_000
  const workloads = [
    { name: 'three steps', unit: 'objects/s', target: 3_000, measure: async () => (await threeSteps({ objects })).objectsPerSecond },
    { name: 'trivial passes', unit: 'passes/s', target: 15_000, measure: async () => (await trivialPasses({ objects })).passesPerSecond },
    { name: 'simulated hour', unit: 'ms', target: -1_000, measure: async () => (await simulatedHour()).milliseconds },
  ].filter(({ name }) => only.length === 0 || only.some(start => name.startsWith(start)))
  const measured = new Map<string, number[]>(workloads.map(({ name }) => [name, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const { name, unit, measure } of workloads) {
      const value = await measure()
      measured.get(name)?.push(value)
      say(`${name}, round ${round} of ${rounds}: ${Math.round(value)} ${unit}`)
    }
  }
  return workloads.map(({ name, unit, target }) => {
    const value = median(measured.get(name) ?? [])
    // A negative target is one to stay below.
    const met = target < 0 ? value <= -target : value >= target
    return { name, unit, value, target: `${target < 0 ? '≤' : '≥'} ${Math.abs(target)} ${unit}`, met, details: measured.get(name) }
  })
}
