import { describe, expect, test } from 'vitest'
import { fieldValue } from './field-value.ts'
import type { Resource } from './resource.ts'

const base = { apiVersion: 'demo.aviary.dev/v1alpha1', kind: 'Nest', metadata: { name: 'a' } }
const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'a' } }
const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } }

describe('what a field selector compares', () => {
  test.each<[string, Resource & Record<string, unknown>, string, string | undefined]>([
    ['a text', { ...base, spec: { material: 'moss' } }, 'spec.material', 'moss'],
    ['a number, as text', { ...base, spec: { eggs: 3 } }, 'spec.eggs', '3'],
    ['truth, as text', { ...base, spec: { paused: false } }, 'spec.paused', 'false'],
    ['the name', base, 'metadata.name', 'a'],
    ['nothing', base, 'spec.material', undefined],
    ['nothing where an object is', { ...base, spec: { material: {} } }, 'spec.material', undefined],
    ['nothing of what JavaScript has by itself', base, 'metadata.constructor', undefined],
    ["an event's component as its source", { ...event, source: { component: 'kubelet' } }, 'source', 'kubelet'],
    ['else its reporting component', { ...event, source: {}, reportingComponent: 'aviary' }, 'source', 'aviary'],
    ['a node that says nothing is schedulable', node, 'spec.unschedulable', 'false'],
    ['a node that says so is not', { ...node, spec: { unschedulable: true } }, 'spec.unschedulable', 'true'],
  ])('%s', (_name, object, path, expected) => {
    expect(fieldValue(object, path)).toBe(expected)
  })
})
