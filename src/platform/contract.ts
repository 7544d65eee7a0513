import { afterAll, beforeAll, describe } from 'vitest'
import { answering } from './contract/answering.ts'
import { claiming } from './contract/claiming.ts'
import { cloning } from './contract/cloning.ts'
import { guests } from './contract/guests.ts'
import { holding } from './contract/holding.ts'
import { powering } from './contract/powering.ts'
import { removing } from './contract/removing.ts'
import { renaming } from './contract/renaming.ts'
import { reporting } from './contract/reporting.ts'
import { seeing } from './contract/seeing.ts'
import { type Bench, bench, type Subject } from './contract/subject.ts'

/** What a platform cannot be made to show; the rules about it are left out. */
export interface ContractOptions {
  readonly without?: readonly ('held tasks' | 'silence')[]
}

/**
 * What every platform promises, as tests: the comments of platform.ts, sentence by sentence, lost replies and crashes included.
 * It runs on the simulated platform and on vSphere against a vCenter that is not ours.
 *
 * @example
 * platformContract('simulated', async () => ({ platform, world, cleanup: () => platform.close() }))
 */
export function platformContract(name: string, make: () => Promise<Subject>, { without = [] }: ContractOptions = {}): void {
  describe(`the contract of a platform: ${name}`, () => {
    let made: Bench | undefined
    const theBench = () => made!
    beforeAll(async () => {
      made = bench(await make())
      await made.world.settle(made.platform.inventory.whenLive(new AbortController().signal))
    }, 60_000)
    afterAll(() => made?.cleanup())

    seeing(theBench)
    cloning(theBench)
    claiming(theBench)
    renaming(theBench)
    powering(theBench)
    guests(theBench)
    removing(theBench)
    reporting(theBench)
    if (!without.includes('held tasks')) holding(theBench)
    if (!without.includes('silence')) answering(theBench)
  })
}
