import { Secret as Hidden } from '../../ports/index.ts'
import { ConfigMap, Secret } from '../../kinds/index.ts'
import type { ClusterPool } from '../../kinds/index.ts'
import type { Store } from '../../store/index.ts'
import { find } from '../find.ts'

/** An environment variable as it is asked for. */
export type Variable = NonNullable<ClusterPool['spec']['installerEnv']>[number]

/** Environment variables with their values, and what of them is not there, as sentences. */
export interface Variables {
  readonly values: Readonly<Record<string, Hidden>>
  readonly missing: readonly string[]
}

/** Looks up the values of variables, in the Secrets and ConfigMaps of a namespace where they say so. */
export async function variablesOf(wanted: readonly Variable[], namespace: string | undefined, store: Store): Promise<Variables> {
  const found = await Promise.all(wanted.map(async variable => [variable, await valueOf(variable, namespace, store)] as const))
  return {
    values: Object.fromEntries(found.flatMap(([{ name }, { value }]) => (value === undefined ? [] : [[name, new Hidden(value)]]))),
    missing: found.flatMap(([{ name }, { lack }]) => (lack === undefined ? [] : [`installer variable ${name}: ${lack}`])),
  }
}

async function valueOf(
  { value = '', valueFrom }: Variable,
  namespace: string | undefined,
  store: Store,
): Promise<{ readonly value?: string | undefined; readonly lack?: string }> {
  if (valueFrom === undefined) return { value }
  const { secretKeyRef, configMapKeyRef } = valueFrom
  const ref = secretKeyRef ?? configMapKeyRef
  if (ref === undefined) return {}
  const kind = secretKeyRef === undefined ? ConfigMap : Secret
  const object = await find<ConfigMap | Secret>(store, kind, namespace, ref.name)
  const kept = object?.data?.[ref.key]
  if (kept !== undefined) return { value: kind === Secret ? Buffer.from(kept, 'base64').toString('utf8') : kept }
  if (ref.optional === true) return {}
  return { lack: `${kind.name} "${ref.name}" ${object === undefined ? 'not found' : `has no key ${ref.key}`}` }
}
