import { PatchNotApplicable } from '../errors.ts'
import type { Dependencies } from './dependencies.ts'
import { installConfig, toBeGenerated } from './install-config.ts'
import { clusterNameOf, type Entry, entriesOf } from './inventory.ts'
import type { NameTrouble } from './name-trouble.ts'
import type { PoolPass } from './pool-pass.ts'

/** Names that are checked at one time: a DNS server that does not answer takes seconds for each. */
const atOnce = 32

/** The first `count` of the free names under which a cluster can be installed, and what is wrong with those that were looked at. */
export async function usableNames(
  pass: PoolPass,
  dependencies: Dependencies,
  count: number,
): Promise<{ readonly names: readonly string[]; readonly trouble: NameTrouble }> {
  const names: string[] = []
  const [missing, brokenBySyntax, unresolved]: [string[], Record<string, string>, Record<string, readonly string[]>] = [[], {}, {}]
  const entries = new Map(entriesOf(pass.object)?.map(entry => [entry.name, entry]))
  const { freeNames = [] } = pass.plan
  let seen = 0
  while (names.length < count && seen < freeNames.length) {
    // At first no more than are needed: usually all can be used.
    const batch = freeNames.slice(seen, seen + (seen === 0 ? Math.min(count, atOnce) : atOnce))
    seen += batch.length
    const checked = await Promise.all(batch.map(async name => [name, await faultOf(entries.get(name)!, pass, dependencies)] as const))
    for (const [name, fault] of checked) {
      if (fault === undefined) names.push(name)
      else if (fault === 'missing') missing.push(name)
      else if (fault instanceof Error) brokenBySyntax[name] = fault.message
      else unresolved[name] = fault
    }
  }
  return { names: names.slice(0, count), trouble: { missing, brokenBySyntax, unresolved } }
}

/** Why a name cannot be used: its customization is missing, a patch does not fit, or hosts do not resolve. Undefined if it can be. */
async function faultOf(
  entry: Entry,
  { object: pool, customizations, checkNames, signal }: PoolPass,
  dependencies: Dependencies,
): Promise<'missing' | Error | readonly string[] | undefined> {
  const ref = entry.customizationRef?.name
  const own = ref === undefined ? undefined : customizations.get(ref)
  if (ref !== undefined && own === undefined) return 'missing'
  const clusterName = clusterNameOf(entry, customizations)
  try {
    const { template, customization } = dependencies
    installConfig({ pool, clusterName: clusterName ?? toBeGenerated, template, entry, customizations: [customization, own] })
  } catch (error) {
    if (PatchNotApplicable.is(error)) return error
    throw error
  }
  const hosts = clusterName === undefined ? [] : ((await checkNames?.(pool, entry, clusterName, signal)) ?? [])
  return hosts.length === 0 ? undefined : hosts
}
