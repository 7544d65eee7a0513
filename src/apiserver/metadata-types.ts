import { parseTime } from '../ports/index.ts'
import type { Json } from '../kinds/index.ts'
import { goTypeOf } from './body.ts'
import { isObject } from './patch/merge-patch.ts'

/** Go's types of the fields of an object's metadata, as Kubernetes names them in complaints. */
const types: Readonly<Record<string, string>> = {
  name: 'string',
  generateName: 'string',
  namespace: 'string',
  selfLink: 'string',
  uid: 'types.UID',
  resourceVersion: 'string',
  generation: 'int64',
  creationTimestamp: 'string',
  deletionTimestamp: 'string',
  deletionGracePeriodSeconds: 'int64',
  labels: 'map[string]string',
  annotations: 'map[string]string',
  ownerReferences: '[]v1.OwnerReference',
  finalizers: '[]string',
  managedFields: '[]v1.ManagedFieldsEntry',
}

const times = ['creationTimestamp', 'deletionTimestamp']

/**
 * What is wrong with the types in an object's metadata, in Kubernetes' words; undefined if nothing is. They are read before the object is
 * checked, so they make a bad request, not an invalid object. `owner` is Go's name of what holds the fields.
 */
export function metadataComplaint(metadata: object, owner: string): string | undefined {
  const values = metadata as { readonly [key: string]: Json }
  for (const [field, type] of Object.entries(types)) {
    const value = values[field] ?? null
    const wrong = value === null ? undefined : mismatch(value, type)
    if (wrong !== undefined)
      return `json: cannot unmarshal ${goTypeOf(wrong.value)} into Go struct field ${owner}.${field} of type ${wrong.type}`
  }
  for (const field of times) {
    const text = values[field]
    if (typeof text === 'string' && !isTime(text))
      return `metadata.${field}: ${JSON.stringify(text)} is no time such as "2006-01-02T15:04:05Z"`
  }
  return undefined
}

/** The value that does not fit, itself or within it, and the type that it should have. */
function mismatch(value: Json, type: string): { readonly value: Json; readonly type: string } | undefined {
  if (type.startsWith('map[string]')) return isObject(value) ? firstMismatch(Object.values(value), 'string') : { value, type }
  if (type.startsWith('[]')) return Array.isArray(value) ? firstMismatch(value, type.slice(2)) : { value, type }
  if (type.startsWith('v1.')) return isObject(value) ? undefined : { value, type }
  if (type === 'int64') return Number.isInteger(value) ? undefined : { value, type }
  return typeof value === 'string' ? undefined : { value, type }
}

function firstMismatch(values: readonly Json[], type: string): ReturnType<typeof mismatch> {
  for (const value of values) {
    const wrong = value === null ? undefined : mismatch(value, type)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

function isTime(text: string): boolean {
  try {
    parseTime(text)
    return true
  } catch {
    return false
  }
}
