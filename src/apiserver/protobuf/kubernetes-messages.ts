import type { Field, FieldType, Message } from './message.ts'

// Field numbers as Kubernetes publishes them in its generated.proto files; they never change.

const one = (name: string, type: FieldType): Field => ({ name, type })
const pointer = (name: string, type: FieldType): Field => ({ name, type, pointer: true })
const list = (name: string, type: FieldType): Field => ({ name, type, shape: 'list' })
const map = (name: string, type: FieldType): Field => ({ name, type, shape: 'map' })

const ownerReference: Message = {
  1: one('kind', 'string'),
  3: one('name', 'string'),
  4: one('uid', 'string'),
  5: one('apiVersion', 'string'),
  6: pointer('controller', 'boolean'),
  7: pointer('blockOwnerDeletion', 'boolean'),
}

/** Managed fields are left out: they are the server's to write. */
const objectMeta: Message = {
  1: one('name', 'string'),
  2: one('generateName', 'string'),
  3: one('namespace', 'string'),
  5: one('uid', 'string'),
  6: one('resourceVersion', 'string'),
  7: one('generation', 'integer'),
  8: one('creationTimestamp', 'time'),
  9: one('deletionTimestamp', 'time'),
  10: pointer('deletionGracePeriodSeconds', 'integer'),
  11: map('labels', 'string'),
  12: map('annotations', 'string'),
  13: list('ownerReferences', ownerReference),
  14: list('finalizers', 'string'),
}

const metadata: Field = pointer('metadata', objectMeta)

const condition: Message = {
  1: one('type', 'string'),
  2: one('status', 'string'),
  4: one('lastTransitionTime', 'time'),
  5: one('reason', 'string'),
  6: one('message', 'string'),
}

const objectReference: Message = {
  1: one('kind', 'string'),
  2: one('namespace', 'string'),
  3: one('name', 'string'),
  4: one('uid', 'string'),
  5: one('apiVersion', 'string'),
  6: one('resourceVersion', 'string'),
  7: one('fieldPath', 'string'),
}

const namespace: Message = {
  1: metadata,
  2: one('spec', { 1: list('finalizers', 'string') }),
  3: one('status', { 1: one('phase', 'string'), 2: list('conditions', condition) }),
}

const secret: Message = {
  1: metadata,
  2: map('data', 'bytes'),
  3: one('type', 'string'),
  4: map('stringData', 'string'),
  5: pointer('immutable', 'boolean'),
}

const configMap: Message = { 1: metadata, 2: map('data', 'string'), 3: map('binaryData', 'bytes'), 4: pointer('immutable', 'boolean') }

const event: Message = {
  1: metadata,
  2: pointer('involvedObject', objectReference),
  3: one('reason', 'string'),
  4: one('message', 'string'),
  5: one('source', { 1: one('component', 'string'), 2: one('host', 'string') }),
  6: one('firstTimestamp', 'time'),
  7: one('lastTimestamp', 'time'),
  8: one('count', 'integer'),
  9: one('type', 'string'),
  10: one('eventTime', 'microTime'),
  11: one('series', { 1: one('count', 'integer'), 2: one('lastObservedTime', 'microTime') }),
  12: one('action', 'string'),
  13: one('related', objectReference),
  14: one('reportingComponent', 'string'),
  15: one('reportingInstance', 'string'),
}

const lease: Message = {
  1: metadata,
  2: one('spec', {
    1: pointer('holderIdentity', 'string'),
    2: pointer('leaseDurationSeconds', 'integer'),
    3: pointer('acquireTime', 'microTime'),
    4: pointer('renewTime', 'microTime'),
    5: pointer('leaseTransitions', 'integer'),
    6: pointer('strategy', 'string'),
    7: pointer('preferredHolder', 'string'),
  }),
}

const node: Message = {
  1: metadata,
  2: one('spec', {
    1: one('podCIDR', 'string'),
    3: one('providerID', 'string'),
    4: one('unschedulable', 'boolean'),
    5: list('taints', { 1: one('key', 'string'), 2: one('value', 'string'), 3: one('effect', 'string'), 4: one('timeAdded', 'time') }),
    7: list('podCIDRs', 'string'),
  }),
  3: one('status', {
    1: map('capacity', 'quantity'),
    2: map('allocatable', 'quantity'),
    3: one('phase', 'string'),
    4: list('conditions', { ...condition, 3: one('lastHeartbeatTime', 'time') }),
    5: list('addresses', { 1: one('type', 'string'), 2: one('address', 'string') }),
    7: one('nodeInfo', {
      1: one('machineID', 'string'),
      2: one('systemUUID', 'string'),
      3: one('bootID', 'string'),
      4: one('kernelVersion', 'string'),
      5: one('osImage', 'string'),
      6: one('containerRuntimeVersion', 'string'),
      7: one('kubeletVersion', 'string'),
      8: one('kubeProxyVersion', 'string'),
      9: one('operatingSystem', 'string'),
      10: one('architecture', 'string'),
    }),
  }),
}

/** Options may be sent under any group and version. */
export const deleteOptionsMessage: Message = {
  1: pointer('gracePeriodSeconds', 'integer'),
  2: pointer('preconditions', { 1: pointer('uid', 'string'), 2: pointer('resourceVersion', 'string') }),
  3: pointer('orphanDependents', 'boolean'),
  4: pointer('propagationPolicy', 'string'),
  5: list('dryRun', 'string'),
}

const selector: Message = { 1: one('rawSelector', 'string') }

const selfSubjectAccessReview: Message = {
  1: metadata,
  2: one('spec', {
    1: pointer('resourceAttributes', {
      1: one('namespace', 'string'),
      2: one('verb', 'string'),
      3: one('group', 'string'),
      4: one('version', 'string'),
      5: one('resource', 'string'),
      6: one('subresource', 'string'),
      7: one('name', 'string'),
      8: pointer('fieldSelector', selector),
      9: pointer('labelSelector', selector),
    }),
    2: pointer('nonResourceAttributes', { 1: one('path', 'string'), 2: one('verb', 'string') }),
  }),
}

const scale: Message = { 1: metadata, 2: one('spec', { 1: pointer('replicas', 'integer') }) }

/** The kinds that Go clients send as protobuf, by `apiVersion/kind`. */
export const kubernetesMessages: Readonly<Record<string, Message>> = {
  'v1/Namespace': namespace,
  'v1/Secret': secret,
  'v1/ConfigMap': configMap,
  'v1/Event': event,
  'v1/Node': node,
  'coordination.k8s.io/v1/Lease': lease,
  'authorization.k8s.io/v1/SelfSubjectAccessReview': selfSubjectAccessReview,
  'authorization.k8s.io/v1/SelfSubjectRulesReview': { 1: metadata, 2: one('spec', { 1: one('namespace', 'string') }) },
  'authentication.k8s.io/v1/SelfSubjectReview': { 1: metadata },
  'autoscaling/v1/Scale': scale,
}
