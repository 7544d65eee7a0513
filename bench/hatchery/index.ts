/** The hatchery: deciding, a burst of jobs, and what a worker costs beside the original hatchery at the same CDS and vCenter. */
import { inChild, type Measured } from '../frame/child-process.ts'
import { median } from '../frame/median.ts'
import type { Result } from '../frame/result.ts'
import type { SuiteOptions } from '../run.ts'
import { burst, type BurstOptions } from './burst.ts'
import { duel, type DuelOptions, type SpawnCost } from './duel.ts'

/** Every measurement; `--quick` takes a tenth of the VMs and jobs. The duel needs the real CDS, which takes minutes to set up. */
export async function suite({ only, quick, rounds = quick ? 1 : 3, say }: SuiteOptions): Promise<readonly Result[]> {
  const wanted = (name: string) => only.length === 0 || only.some(start => name.startsWith(start))
  const results: Result[] = []
  if (wanted('gate')) results.push(...(await gates(quick ? 1_000 : 10_000, rounds, say)))
  if (wanted('burst')) {
    const jobs = quick ? 100 : 1_000
    const usual = { jobs, hosts: 64, ready: jobs, limits: {}, poolSize: 64 }
    results.push(await oneBurst(usual, 'usual limits', say))
    // Only to be seen: so many jobs need more than these limits allow in that time, whoever goes first.
    const { target: _, met: __, ...tight } = await oneBurst({ ...usual, limits: { total: 32 } }, 'limits of four hosts', say)
    results.push(tight)
  }
  if (wanted('duel')) results.push(...(await sideBySide({ vms: quick ? 100 : 1_000, rounds, jobs: quick ? 1 : 2, say })))
  return results
}

async function gates(vms: number, rounds: number, say: (line: string) => void): Promise<readonly Result[]> {
  const measured: Measured[] = []
  for (let round = 1; round <= rounds; round++) {
    measured.push(await inChild(new URL('gate-decisions.ts', import.meta.url), [vms, 2_000]))
    say(`gate decisions, round ${round} of ${rounds}: ${JSON.stringify(measured.at(-1))}`)
  }
  const row = (what: 'p99' | 'warmP99', text: string): Result => {
    const value = median(measured.map(each => each[what] ?? Number.NaN))
    return { name: `gate decision at ${vms} VMs, p99 ${text}`, unit: 'ms', value, target: '≤ 5 ms', met: value <= 5, details: measured }
  }
  return [row('p99', 'from the first one on'), row('warmP99', 'after 500')]
}

async function oneBurst(options: BurstOptions, what: string, say: (line: string) => void): Promise<Result> {
  const { jobs, hosts } = options
  say(`${jobs} jobs in a minute on ${hosts} hosts, ${what}`)
  const came = await burst(options)
  say(JSON.stringify(came))
  const { limits } = came
  const isWithin = came.lost === 0 && came.atOnce <= limits.total && came.atOnceOnHost <= limits.perHost
  const name = `burst of ${jobs} jobs, ${what} (${limits.total} operations at once): p95 beyond the boot`
  return { name, unit: 's', value: came.p95, target: '≤ 30 s, none lost', met: isWithin && came.p95 <= 30, details: came }
}

async function sideBySide(options: DuelOptions): Promise<readonly Result[]> {
  const { vms } = options
  const { original, own } = await duel(options)
  const row = (what: keyof SpawnCost, text: string, unit: string): Result => {
    const [value, peer] = [own[what], original[what]]
    return { name: `duel among ${vms} VMs: ${text}`, unit, value, peer, ratio: peer / value, details: { own, original } }
  }
  return [
    row('wall', 'job to script', 'ms'),
    row('cpu', 'processor per worker', 'ms'),
    row('calls', 'calls per worker', 'calls'),
    row('bytes', 'bytes per worker', 'bytes'),
    row('idle', 'processor in an idle minute', 'ms'),
    row('memory', 'memory', 'MB'),
  ]
}
