import { PatchNotApplicable } from '../errors.ts'
import type { Dependencies } from './dependencies.ts'
import { installConfig } from './install-config.ts'
import { clusterNameOf, type Entry, entriesOf } from './inventory.ts'
import type { PoolPass } from './pool-pass.ts'

/** Names that cannot be used, by why. */
export interface NameTrouble {
  readonly missing: readonly string[]
  /** With what is wrong. */
  readonly brokenBySyntax: Readonly<Record<string, string>>
  /** With the hosts that do not resolve. */
  readonly unresolved: Readonly<Record<string, readonly string[]>>
}

/** Nothing is wrong with any name. */
export const noTrouble: NameTrouble = { missing: [], brokenBySyntax: {}, unresolved: {} }

/** The first `count` of the free names under which a cluster can be installed, and what is wrong with those passed over. */
export async function usableNames(
  pass: PoolPass,
  dependencies: Dependencies,
  count: number,
): Promise<{ readonly names: readonly string[]; readonly trouble: NameTrouble }> {
  const names: string[] = []
  const [missing, brokenBySyntax, unresolved]: [string[], Record<string, string>, Record<string, readonly string[]>] = [[], {}, {}]
  const entries = new Map(entriesOf(pass.object)?.map(entry => [entry.name, entry]))
  for (const name of pass.plan.freeNames ?? []) {
    if (names.length >= count) break
    const entry = entries.get(name)!
    const clusterName = clusterNameOf(entry, pass.customizations)
    const hosts = clusterName === undefined ? [] : ((await pass.checkNames?.(pass.object, entry, clusterName, pass.signal)) ?? [])
    const fault = faultOf(entry, pass, dependencies)
    if (fault === 'missing') missing.push(name)
    else if (fault !== undefined) brokenBySyntax[name] = fault.message
    else if (hosts.length > 0) unresolved[name] = hosts
    else names.push(name)
  }
  return { names, trouble: { missing, brokenBySyntax, unresolved } }
}

function faultOf(entry: Entry, { object: pool, customizations }: PoolPass, dependencies: Dependencies): 'missing' | Error | undefined {
  const ref = entry.customizationRef?.name
  const own = ref === undefined ? undefined : customizations.get(ref)
  if (ref !== undefined && own === undefined) return 'missing'
  const patches = [dependencies.customization, own].flatMap(each =>
    each?.spec.installConfigPatches === undefined ? [] : [each.spec.installConfigPatches],
  )
  try {
    installConfig({ pool, clusterName: entry.name, template: dependencies.template, entry, patches })
    return undefined
  } catch (error) {
    if (PatchNotApplicable.is(error)) return error
    throw error
  }
}
