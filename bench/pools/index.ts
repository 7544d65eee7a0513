import { median } from '../frame/median.ts'
import type { Result } from '../frame/result.ts'
import type { SuiteOptions } from '../run.ts'
import { assignClaims, type Latency, resync, settlePool } from './workloads.ts'

/** What Hive's own controllers need on a like machine, with their client limit lifted; milliseconds. */
const hive = { settle: 2_600, p50: 30, p99: 66 }

/** The benchmark of pools, on the embedded engine unless a line says otherwise. */
export async function suite({ only, quick, rounds = quick ? 1 : 3, say }: SuiteOptions): Promise<readonly Result[]> {
  const wants = (name: string) => only.length === 0 || only.some(start => name.startsWith(start))
  const repeat = async <T>(name: string, work: () => Promise<T>, times = rounds): Promise<readonly T[]> => {
    const results: T[] = []
    for (let round = 1; round <= times; round++) {
      results.push(await work())
      say(`${name}, round ${round} of ${times}: ${JSON.stringify(results.at(-1))}`)
    }
    return results
  }
  const claims = quick ? 10 : 50
  const pools = quick ? 50 : 1_000
  const results: Result[] = []
  if (wants('pool of 50'))
    results.push(line('pool of 50 settled', await repeat('pool of 50', () => settlePool({ size: 50 })), 2_000, hive.settle))
  if (wants('claim')) {
    const alone = await repeat('claim', () => assignClaims({ claims }))
    results.push(...latency('claim to assignment', alone, { p50: 10, p99: 50 }, hive))
    // Once: it takes long to make so many pools, and there is nothing to compare that would change between rounds.
    const among = await repeat(`claim among ${pools} pools`, () => assignClaims({ claims, others: pools }), 1)
    const [beside] = latency(`claim among ${pools} other pools of 10`, among, { p50: 10, p99: 50 }, { p50: median(alone.map(p50)), p99: 0 })
    results.push(beside!)
  }
  if (wants('kube-apiserver')) {
    const real = await repeat('kube-apiserver', () => assignClaims({ claims, engine: 'kube-apiserver' }))
    results.push(...latency('claim to assignment, kube-apiserver', real, { p50: undefined, p99: 100 }, hive))
  }
  if (wants('resync')) results.push(line(`resync of ${pools} pools of 10`, await repeat('resync', () => resync({ pools }), 1), 5_000))
  return results
}

const p50 = (measured: Latency) => measured.p50

function latency(
  name: string,
  measured: readonly Latency[],
  target: { readonly p50: number | undefined; readonly p99: number },
  peer: Latency,
): readonly Result[] {
  return [
    line(`${name}, p50`, measured.map(p50), target.p50, peer.p50),
    line(
      `${name}, p99`,
      measured.map(({ p99 }) => p99),
      target.p99,
      peer.p99,
    ),
  ]
}

function line(name: string, values: readonly number[], target?: number, peer?: number): Result {
  const value = median(values)
  return {
    name,
    unit: 'ms',
    value,
    ...(peer === undefined ? {} : { peer, ratio: peer / value }),
    ...(target === undefined ? {} : { target: `≤ ${target} ms`, met: value <= target }),
    details: values,
  }
}
