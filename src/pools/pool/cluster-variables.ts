import type { ClusterPool, Draft, Secret } from '../../kinds/index.ts'
import type { Variable, Variables } from '../installer/variables.ts'

/*
 * An installer reads only what is beside its cluster. So the values that a pool has in Secrets and ConfigMaps of its own namespace are
 * copied into a Secret there, and the cluster's variables refer to that one.
 */

/** The Secret with the values that are copied; none if there are none. */
export function variablesSecret(pool: ClusterPool, namespace: string, values: Variables['values']): readonly Draft<Secret>[] {
  const kept = (pool.spec.installerEnv ?? []).flatMap(({ name, valueFrom }) => {
    const value = valueFrom === undefined ? undefined : values[name]
    return value === undefined ? [] : [[name, value.reveal()] as const]
  })
  return kept.length === 0 ? [] : [{ metadata: { namespace, name: secretName(namespace) }, stringData: Object.fromEntries(kept) }]
}

/** The variables as the cluster has them. One that may be missing, and is, is left out. */
export function clusterVariables(pool: ClusterPool, namespace: string, values: Variables['values']): readonly Variable[] | undefined {
  return pool.spec.installerEnv?.flatMap(variable => {
    const { name, valueFrom } = variable
    if (valueFrom === undefined) return [variable]
    return values[name] === undefined ? [] : [{ name, valueFrom: { secretKeyRef: { name: secretName(namespace), key: name } } }]
  })
}

function secretName(namespace: string): string {
  return `${namespace}-installer-env`
}
