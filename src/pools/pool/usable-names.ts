import { ClusterDeploymentCustomization } from '../../kinds/index.ts'
import { PatchNotApplicable } from '../errors.ts'
import { type Dependencies, find } from './dependencies.ts'
import { installConfig } from './install-config.ts'
import { type Entry, entriesOf } from './inventory.ts'
import type { PoolPass } from './pool-pass.ts'

/** Names that cannot be used, by why. */
export interface NameTrouble {
  readonly missing: readonly string[]
  readonly brokenBySyntax: readonly string[]
  /** With the hosts that do not resolve. */
  readonly unresolved: Readonly<Record<string, readonly string[]>>
}

/** The first `count` of the free names under which a cluster can be installed, and what is wrong with those passed over. */
export async function usableNames(
  pass: PoolPass,
  dependencies: Dependencies,
  count: number,
): Promise<{ readonly names: readonly string[]; readonly trouble: NameTrouble }> {
  const names: string[] = []
  const [missing, brokenBySyntax, unresolved]: [string[], string[], Record<string, readonly string[]>] = [[], [], {}]
  const entries = new Map(entriesOf(pass.object)?.map(entry => [entry.name, entry]))
  for (const name of pass.plan.freeNames ?? []) {
    if (names.length >= count) break
    const hosts = (await pass.checkNames?.(pass.object, name, pass.signal)) ?? []
    const fault = await faultOf(entries.get(name)!, pass, dependencies)
    if (fault === 'missing') missing.push(name)
    else if (fault === 'syntax') brokenBySyntax.push(name)
    else if (hosts.length > 0) unresolved[name] = hosts
    else names.push(name)
  }
  return { names, trouble: { missing, brokenBySyntax, unresolved } }
}

async function faultOf(
  entry: Entry,
  { object: pool, store }: PoolPass,
  dependencies: Dependencies,
): Promise<'missing' | 'syntax' | undefined> {
  const ref = entry.customizationRef?.name
  const own = ref === undefined ? undefined : await find(store, ClusterDeploymentCustomization, pool.metadata.namespace, ref)
  if (ref !== undefined && own === undefined) return 'missing'
  const patches = [dependencies.customization, own].flatMap(each =>
    each?.spec.installConfigPatches === undefined ? [] : [each.spec.installConfigPatches],
  )
  try {
    installConfig({ pool, clusterName: entry.name, template: dependencies.template, entry, patches })
    return undefined
  } catch (error) {
    if (PatchNotApplicable.is(error)) return 'syntax'
    throw error
  }
}
