import type { ClusterPool, Draft, Secret } from '../../kinds/index.ts'
import { copyName, type Variable, type Variables } from '../secrets.ts'

/*
 * An installer reads only what is beside its cluster. So the values of all variables, also those that a pool has in Secrets and
 * ConfigMaps of its own namespace, are copied into a Secret there, which the claim's subjects cannot write.
 */

/** The Secret with the values of all variables; none if there are none. */
export function variablesSecret(pool: ClusterPool, namespace: string, values: Variables['values']): readonly Draft<Secret>[] {
  const kept = (pool.spec.installerEnv ?? []).flatMap(({ name }) => {
    const value = values[name]
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
  return copyName(namespace, 'spec.provisioning.installerEnv[].valueFrom.secretKeyRef', '')
}
