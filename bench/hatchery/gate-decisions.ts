import { GateWorld, inShort } from '../../src/hatchery/testing/gate-world.ts'
import type { Measured } from '../frame/child-process.ts'
import { percentile } from '../frame/median.ts'

/** So many decisions are made until the process counts as warm. */
const warmAfter = 500

/**
 * Decides on jobs in a datacenter with many VMs: a tenth are workers of ours that CDS knows, a tenth stand ready, the others are
 * somebody else's. VMs change all the time, and CDS is asked anew for its workers, as in real life; it answers at once here, so that
 * what is measured is our own; milliseconds. Every tenth job may start, the others are kept by various gates.
 */
async function decide({ vms, jobs }: { readonly vms: number; readonly jobs: number }): Promise<Measured> {
  const world = new GateWorld({ settings: { maxCpus: vms / 5 + 4 }, provision: { maxWorker: 0, maxConcurrentProvisioning: 100 } })
  const foreign: string[] = []
  for (let number = 0; number < vms; number++) {
    const name = `vm-${number}`
    if (number % 10 === 0) {
      world.vm({
        name,
        note: { workerName: name, vmwareModelPath: 'debian12', jobId: `job-of-${name}`, workerStartTime: world.clock.now() },
      })
      world.register(name, { status: 'Building', jobId: `job-of-${name}` })
    } else if (number % 10 === 1) world.provision(`provision-v2-${number}`)
    else foreign.push(world.vm({ name, note: 'somebody else’s' }).id)
  }
  const times: number[] = []
  const verdicts: Record<string, number> = {}
  for (let number = 0; number < jobs; number++) {
    const job =
      number % 10 === 0
        ? world.v2Job(`job-${number}`)
        : number % 3 === 0
          ? world.v2Job(`job-of-vm-${(number % (vms / 10)) * 10}`)
          : number % 3 === 1
            ? world.v1Job(`${number}`, ['model:shared.infra/none'])
            : world.v2Job(`job-${number}`, { runsOn: { model: 'debian', flavor: 'large' } })
    const id = foreign[number % foreign.length] ?? ''
    world.vm({ id, name: world.inventory.byId(id)?.name ?? id, power: number % 2 === 0 ? 'off' : 'on', note: 'somebody else’s' })
    await world.clock.advance(500)
    const began = performance.now()
    const verdict = await world.decide(job)
    times.push(performance.now() - began)
    const came = inShort(verdict)
    verdicts[came] = (verdicts[came] ?? 0) + 1
    if (verdict.kind === 'go') verdict.undertaking[Symbol.dispose]()
  }
  const warm = times.slice(warmAfter)
  const all = { p50: percentile(times, 0.5), p99: percentile(times, 0.99), most: Math.max(...times) }
  return {
    ...all,
    warmP50: percentile(warm, 0.5),
    warmP99: percentile(warm, 0.99),
    warmMost: Math.max(...warm),
    started: verdicts['go'] ?? 0,
  }
}

// In a process of its own, so that every round begins cold.
const [vms = 0, jobs = 0] = process.argv.slice(2).map(Number)
if (import.meta.main) console.log(JSON.stringify(await decide({ vms, jobs })))
