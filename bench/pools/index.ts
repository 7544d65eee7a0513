import { median } from '../frame/median.ts'
import type { Result } from '../frame/result.ts'
import type { SuiteOptions } from '../run.ts'
import { assignClaims, resync, settlePool } from './pool-on-sqlite.ts'

/** What Hive's own controllers need on a like machine, with their client limit lifted; milliseconds. */
const hive = { settle: 2_600, p50: 30, p99: 66 }

/** The benchmark of pools on the embedded engine. */
export async function suite({ only, quick, rounds = quick ? 1 : 3, say }: SuiteOptions): Promise<readonly Result[]> {
  const wants = (name: string) => only.length === 0 || only.some(start => name.startsWith(start))
  const repeat = async <T>(name: string, work: () => Promise<T>): Promise<readonly T[]> => {
    const results: T[] = []
    for (let round = 1; round <= rounds; round++) {
      results.push(await work())
      say(`${name}, round ${round} of ${rounds}: ${JSON.stringify(results.at(-1))}`)
    }
    return results
  }
  const result = (name: string, values: readonly number[], target: number, peer?: number): Result => {
    const value = median(values)
    return {
      name,
      unit: 'ms',
      value,
      ...(peer === undefined ? {} : { peer, ratio: peer / value }),
      target: `≤ ${target} ms`,
      met: value <= target,
      details: values,
    }
  }
  const results: Result[] = []
  if (wants('pool of 50'))
    results.push(result('pool of 50 settled', await repeat('pool of 50', () => settlePool({ size: 50 })), 2_000, hive.settle))
  if (wants('claim')) {
    const claims = await repeat('claim', () => assignClaims({ claims: quick ? 10 : 30 }))
    results.push(
      result(
        'claim to assignment, p50',
        claims.map(({ p50 }) => p50),
        10,
        hive.p50,
      ),
    )
    results.push(
      result(
        'claim to assignment, p99',
        claims.map(({ p99 }) => p99),
        50,
        hive.p99,
      ),
    )
  }
  const pools = quick ? 100 : 1_000
  if (wants('resync')) results.push(result(`resync of ${pools} pools of 10`, await repeat('resync', () => resync({ pools })), 5_000))
  return results
}
