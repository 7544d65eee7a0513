import type { ClusterPool } from '../../kinds/index.ts'
import { platformLabel, regionLabel } from '../names.ts'

/** What Kubernetes takes as the value of a label. */
const labelValue = /^[a-zA-Z0-9]([-._a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$/

/** Labels that say where a cluster is made. Platforms without regions, and regions that no label can hold, are `unknown`, as in Hive. */
export function platformLabels(platform: ClusterPool['spec']['platform']): Readonly<Record<string, string>> {
  const [[name, settings] = ['none', {}]] = Object.entries(platform)
  const { region } = settings as { readonly region?: unknown }
  const isLabel = typeof region === 'string' && labelValue.test(region)
  return { [platformLabel]: name, [regionLabel]: isLabel ? region : 'unknown' }
}
