import type { ProvisioningEntry } from '../../settings.ts'
import { Bench, type BenchOptions } from '../../testing/keeping-bench.ts'
import { v1Model } from '../../testing/scripted-cds.ts'
import { Provisioner } from '../provisioner.ts'

/** So many VMs are to stand ready for a V2 model, unless more is said. */
export function entry(model: string, number: number, more: Partial<ProvisioningEntry> = {}): ProvisioningEntry {
  return { version: 2, model, number, flavor: undefined, ...more }
}

/** A provisioner that was started on a bench, and the pools in the order in which it begins VMs for them. */
export async function started(options: BenchOptions, prepare: (bench: Bench) => void = () => {}) {
  const bench = new Bench(options)
  prepare(bench)
  const run = await bench.run()
  const begun: string[] = []
  const begin = run.underWay.begin.bind(run.underWay)
  run.underWay.begin = beginning => {
    begun.push(beginning.model)
    return begin(beginning)
  }
  const provisioner = new Provisioner(run)
  provisioner.start()
  return { bench, run, provisioner, begun }
}

/** A V1 model whose template is built. */
export function withV1Template(bench: Bench): void {
  const note = { model: true, workerModelPath: 'shared.infra/debian', workerModelLastModified: '1700000000' }
  bench.addVm('debian', note, { template: true, cpus: 3, memoryMB: 3000 })
  bench.cds.models = [v1Model()]
}
