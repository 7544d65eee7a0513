import type { Spawn } from '../../kinds/index.ts'
import { parseTime } from '../../ports/index.ts'

/** A record that nobody touched for so long is no longer anybody's work. */
const longestLife = 30 * 60_000

/** Phases in which nothing is made of a VM any more. */
const ended: ReadonlySet<string | undefined> = new Set(['Waiting', 'Failed', 'TearingDown', undefined])

/** Finds out whether records say that a VM is being made into a worker, by its id or by the name that it has or gets. */
export function vmsOfSpawns(records: Iterable<Spawn>, now: number): { has(vm: { readonly id: string; readonly name: string }): boolean } {
  const [ids, names] = [new Set<string>(), new Set<string>()]
  for (const { spec, status } of records) {
    if (spec.purpose === 'Provision' || ended.has(status?.phase)) continue
    if (status?.since !== undefined && now - parseTime(status.since) > longestLife) continue
    if (status?.vmId !== undefined) ids.add(status.vmId)
    if (status?.vm !== undefined) names.add(status.vm)
  }
  return { has: ({ id, name }) => ids.has(id) || names.has(name) }
}
