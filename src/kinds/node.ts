import * as z from 'zod'
import { builtInAgeColumn } from './age.ts'
import { derivedColumn, nameColumn } from './column.ts'
import { kind } from './define-kind.ts'
import { evaluatePath } from './json-path.ts'
import type { Column, Infer } from './kind.ts'
import { listMap } from './lists.ts'
import type { Resource } from './resource.ts'
import { time } from './scalars.ts'

const taint = z.object({
  key: z.string().describe('What the taint is about.'),
  value: z.string().optional().describe('Its value.'),
  effect: z.string().describe('NoSchedule, PreferNoSchedule or NoExecute.'),
  timeAdded: time().optional().describe('Since when.'),
})

const condition = z.object({
  type: z.string().describe('What the condition is about.'),
  status: z.string().describe('True, False or Unknown.'),
  reason: z.string().optional().describe('Why, as one word in CamelCase.'),
  message: z.string().optional().describe('Why, as a sentence.'),
  lastHeartbeatTime: time().optional().describe('When it was last confirmed.'),
  lastTransitionTime: time().optional().describe('When the status last changed.'),
})

const nodeInfo = z.looseObject({
  kubeletVersion: z.string().optional().describe("The kubelet's version."),
  osImage: z.string().optional().describe('The operating system.'),
  kernelVersion: z.string().optional().describe('The kernel.'),
  containerRuntimeVersion: z.string().optional().describe('The container runtime.'),
})

/** A machine of a Kubernetes cluster. Aviary reads them; fields that it does not know are kept. */
export const Node = kind({
  group: '',
  version: 'v1',
  name: 'Node',
  plural: 'nodes',
  scope: 'Cluster',
  builtIn: true,
  shortNames: ['no'],
  description: 'A machine of a Kubernetes cluster.',
  spec: z
    .looseObject({
      unschedulable: z.boolean().optional().describe('True: nothing new is put on it.'),
      providerID: z.string().optional().describe('Its name at the provider.'),
      taints: z.array(taint).optional().describe('What keeps things off it.'),
    })
    .describe('What the node should be.'),
  status: z
    .looseObject({
      phase: z.string().optional().describe('No longer used.'),
      conditions: listMap(z.array(condition), 'type').optional().describe('How it is.'),
      addresses: z
        .array(z.object({ type: z.string().describe('What kind of address.'), address: z.string().describe('The address.') }))
        .optional()
        .describe('Where it can be reached.'),
      capacity: z.record(z.string(), z.string()).optional().describe('What it has.'),
      allocatable: z.record(z.string(), z.string()).optional().describe('What of it can be used.'),
      nodeInfo: nodeInfo.optional().describe('What it runs.'),
    })
    .describe('What the node is.'),
  columns: [
    nameColumn,
    derivedColumn('Status', '.status.conditions', 0, 'The status of the node.', status),
    derivedColumn('Roles', '.metadata.labels', 0, 'The roles of the node.', roles),
    builtInAgeColumn,
    derivedColumn(
      'Version',
      '.status.nodeInfo.kubeletVersion',
      0,
      "the kubelet's version",
      node => read(node, '.status.nodeInfo.kubeletVersion') ?? '',
    ),
    derivedColumn('Internal-IP', '.status.addresses', 1, 'Where it is reached from within.', node => address(node, 'InternalIP')),
    derivedColumn('External-IP', '.status.addresses', 1, 'Where it is reached from without.', node => address(node, 'ExternalIP')),
    orUnknown('OS-Image', '.status.nodeInfo.osImage', 'The operating system.'),
    orUnknown('Kernel-Version', '.status.nodeInfo.kernelVersion', 'The kernel.'),
    orUnknown('Container-Runtime', '.status.nodeInfo.containerRuntimeVersion', 'The container runtime.'),
  ],
  selectableFields: ['spec.unschedulable'],
})

/** An object of kind Node. */
export type Node = Infer<typeof Node>

function orUnknown(name: string, path: string, description: string): Column {
  return derivedColumn(name, path, 1, description, node => read(node, path) ?? '<unknown>')
}

/** The text at a path; undefined if there is none or it is empty. */
function read(node: Resource, path: string): string | undefined {
  const value = evaluatePath(path, node)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function status(node: Resource): string {
  const ready = read(node, '.status.conditions[?(@.type=="Ready")].status')
  const base = ready === undefined ? 'Unknown' : ready === 'True' ? 'Ready' : 'NotReady'
  return evaluatePath('.spec.unschedulable', node) === true ? `${base},SchedulingDisabled` : base
}

const rolePrefix = 'node-role.kubernetes.io/'

function roles(node: Resource): string {
  const found = new Set<string>()
  for (const [key, value] of Object.entries(node.metadata.labels ?? {})) {
    if (key.startsWith(rolePrefix)) found.add(key.slice(rolePrefix.length))
    else if (key === 'kubernetes.io/role') found.add(value)
  }
  found.delete('')
  return [...found].toSorted().join(',') || '<none>'
}

function address(node: Resource, type: string): string {
  return read(node, `.status.addresses[?(@.type=="${type}")].address`) ?? '<none>'
}
