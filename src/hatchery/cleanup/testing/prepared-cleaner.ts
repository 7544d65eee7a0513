import { Bench } from '../../testing/keeping-bench.ts'
import { Cleaner } from '../cleaner.ts'

const never = new AbortController().signal

/** A bench with a run whose inventory is live, and a cleaner that is not started: the test makes its passes. */
export async function prepared(vms: (bench: Bench, now: number) => void) {
  const bench = new Bench()
  // So that "hours ago" is a time.
  await bench.pass(600)
  vms(bench, bench.clock.now())
  const run = await bench.run()
  await bench.clock.advance(1_000)
  let removed = 0
  const cleaner = new Cleaner({ ...run, onRemoved: () => removed++ })
  const settled = async (work: Promise<void>) => {
    await bench.pass(10)
    await work
  }
  return {
    bench,
    run,
    cleaner,
    removed: () => removed,
    isThere: (name: string) => bench.world.byName(name) !== undefined,
    killAwol: () => settled(cleaner.killAwol(never)),
    killDisabled: () => settled(cleaner.killDisabled(never)),
  }
}
