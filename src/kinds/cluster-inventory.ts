import * as z from 'zod'
import { reference } from './cluster-platform.ts'
import { listMap, listSet } from './lists.ts'
import { isPlainObject } from './decode/copy-json.ts'

/** A change to a document by RFC 6902. */
export const jsonPatch = z.object({
  op: z.enum(['add', 'remove', 'replace', 'move', 'copy', 'test']).describe('What to do.'),
  path: z.string().max(1024).describe('Where, as a JSON pointer.'),
  from: z.string().max(1024).optional().describe('From where, for move and copy.'),
  value: z.string().optional().describe('The value, as a text.'),
  valueJSON: z.string().optional().describe('The value, as JSON; wins over value.'),
})

/** A short cluster name: it becomes a part of host names, and of a namespace's name. */
const clusterName = () =>
  z
    .string()
    .min(1)
    .max(57)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)

const entry = z.object({
  name: clusterName().describe('The cluster’s short name: api.NAME.BASEDOMAIN must resolve.'),
  customizationRef: reference('A ClusterDeploymentCustomization with patches for this cluster.').optional(),
  installConfigPatches: z.array(jsonPatch).max(256).optional().describe('Changes to the install-config of this cluster.'),
  vSphere: z
    .object({
      apiVIPs: listSet(z.array(z.string().min(1).max(45)).max(2))
        .optional()
        .describe('The addresses of api.NAME.BASEDOMAIN.'),
      ingressVIPs: listSet(z.array(z.string().min(1).max(45)).max(2))
        .optional()
        .describe('The addresses of *.apps.NAME.BASEDOMAIN.'),
    })
    .optional()
    .describe('Addresses that belong to this name.'),
  labels: z.record(z.string(), z.string()).optional().describe('Further labels of this cluster’s ClusterDeployment.'),
  disabled: z.boolean().optional().describe('True: the name is not used for new clusters.'),
  generateName: z
    .boolean()
    .optional()
    .describe('True: the cluster is not called like the entry, but as the customization sets /metadata/name, or by a generated name.'),
})

/** Details of each cluster that a pool may make. */
export const clusterInventory = z
  .object({
    clusterDeployments: listMap(z.array(entry).max(1000), 'name')
      .optional()
      .describe('The clusters that can be made: each name once. An empty list means none.'),
  })
  .describe('Details of each cluster that the pool may make. Absent: names are generated.')

/** One reference of the list form that Hive itself has. */
interface ListedReference {
  readonly kind?: unknown
  readonly name?: unknown
}

/**
 * Brings Hive's own form of an inventory, a list of references to ClusterDeploymentCustomizations, into the form above: each becomes an
 * entry of the same name that takes its cluster's name from the customization. Whatever is no such list is left for the schema to judge.
 */
export function fromListForm(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { spec } = input
  if (!isPlainObject(spec) || !Array.isArray(spec['inventory'])) return input
  const listed = spec['inventory'] as readonly unknown[]
  if (!listed.every(isReference)) return input
  const clusterDeployments = listed.map(({ name }) => ({ name, customizationRef: { name }, generateName: true }))
  return { ...input, spec: { ...spec, inventory: { clusterDeployments } } }
}

function isReference(value: unknown): value is ListedReference {
  if (!isPlainObject(value)) return false
  const { kind = '', name: _name, ...rest } = value
  return (kind === '' || kind === 'ClusterDeploymentCustomization') && Object.keys(rest).length === 0
}
