import { describe, expect, test } from 'vitest'
import { allKinds } from './all-kinds.ts'
import { evaluatePath } from './json-path.ts'
import type { Resource } from './resource.ts'

const now = 1_794_784_903_000 // 2026-11-15T23:21:43Z
const created = '2026-11-15T23:18:40Z' // 3m3s before
const metadata = { name: 'one', creationTimestamp: created }

/** Headings as kube-apiserver 1.35.4 sends them; those of `-o wide` in parentheses. */
const headings = {
  Namespace: 'Name Status Age',
  ConfigMap: 'Name Data Age',
  Secret: 'Name Type Data Age',
  Event: 'Last-Seen Type Reason Object (Subobject) (Source) Message (First-Seen) (Count) (Name)',
  Lease: 'Name Holder Age',
  Node: 'Name Status Roles Age Version (Internal-IP) (External-IP) (OS-Image) (Kernel-Version) (Container-Runtime)',
  CustomResourceDefinition: 'Name Created-At',
}

describe('kinds that Kubernetes serves have its columns', () => {
  test.each(Object.entries(headings))('%s', (name, expected) => {
    const columns = kindNamed(name).columns.map(column => [column.name.replace(' ', '-'), column.priority] as const)
    expect(columns.map(([heading, priority]) => (priority === 0 ? heading : `(${heading})`)).join(' ')).toBe(expected)
  })
})

describe('and print in them what Kubernetes prints', () => {
  test.each<[string, object, readonly unknown[]]>([
    ['Namespace', { status: { phase: 'Active' } }, ['one', 'Active', '3m3s']],
    ['ConfigMap', { data: { a: '', b: '' }, binaryData: { c: '' } }, ['one', 3, '3m3s']],
    ['Secret', { type: 'Opaque', data: { a: '' } }, ['one', 'Opaque', 1, '3m3s']],
    ['Secret', { type: 'Opaque' }, ['one', 'Opaque', 0, '3m3s']],
    ['Lease', { spec: { holderIdentity: 'me' } }, ['one', 'me', '3m3s']],
    [
      'Node',
      {
        metadata: {
          ...metadata,
          labels: { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/edge': '', 'kubernetes.io/role': 'x' },
        },
        spec: { unschedulable: true },
        status: {
          conditions: [{ type: 'Ready', status: 'True' }],
          addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
          nodeInfo: { kubeletVersion: 'v1.35.4', osImage: 'Debian' },
        },
      },
      ['one', 'Ready,SchedulingDisabled', 'edge,worker,x', '3m3s', 'v1.35.4', '10.0.0.1', '<none>', 'Debian', '<unknown>', '<unknown>'],
    ],
    [
      'Node',
      { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } },
      ['one', 'NotReady', '<none>', '3m3s', '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>'],
    ],
    [
      'Event',
      {
        type: 'Warning',
        reason: 'Lost',
        message: ' gone \n',
        count: 4,
        firstTimestamp: '2026-11-15T22:21:43Z',
        lastTimestamp: created,
        involvedObject: { kind: 'Nest', name: 'oak', fieldPath: 'spec.eggs' },
        source: { component: 'aviary', host: 'h' },
      },
      ['3m3s', 'Warning', 'Lost', 'nest/oak', 'spec.eggs', 'aviary, h', 'gone', '60m', 4, 'one'],
    ],
    [
      'Event',
      {
        type: 'Normal',
        reason: 'Seen',
        message: 'x',
        eventTime: '2026-11-15T22:21:43.123456Z',
        series: { count: 7, lastObservedTime: '2026-11-15T23:21:40.000000Z' },
        involvedObject: { kind: 'Nest' },
        reportingComponent: 'aviary',
      },
      ['3s', 'Normal', 'Seen', 'nest', undefined, 'aviary', 'x', '59m', 7, 'one'],
    ],
    [
      'Event',
      { involvedObject: { kind: 'Nest', name: 'a' }, firstTimestamp: created },
      ['3m3s', undefined, undefined, 'nest/a', undefined, '', '', '3m3s', 1, 'one'],
    ],
    ['CustomResourceDefinition', {}, ['one', created]],
  ])('%s', (name, fields, expected) => {
    const kind = kindNamed(name)
    const object = { apiVersion: kind.apiVersion, kind: name, metadata, ...fields } as Resource
    expect(kind.columns.map(({ path, value }) => (value === undefined ? evaluatePath(path, object) : value(object, now)))).toEqual(expected)
  })
})

function kindNamed(name: string) {
  return allKinds.find(kind => kind.name === name)!
}
