import type { Resource } from '../../kinds/index.ts'
import { StoreError } from '../errors.ts'

/** As in Kubernetes, whose etcd takes no more. */
const mostBytes = 1_572_864

/** The JSON of an object that is not too large. Throws RequestEntityTooLarge. */
export function textOf(object: Resource): string {
  const json = JSON.stringify(object)
  // No character takes more than three bytes of UTF-8 per code unit, so that counting is hardly ever needed.
  if (json.length * 3 > mostBytes && Buffer.byteLength(json) > mostBytes) {
    throw new StoreError('RequestEntityTooLarge', `Request entity too large: limit is ${mostBytes}`, {
      kind: object.kind,
      name: object.metadata.name,
      fix: 'split the object, or keep large data elsewhere and store a reference',
    })
  }
  return json
}

/** About the length of the JSON of an object that is not too large, for those who do not need the JSON. Throws RequestEntityTooLarge. */
export function sizeOf(object: Resource): number {
  const weight = weightOf(object)
  // Six bytes is what the worst character takes: \u0000. Only who comes near the limit is measured exactly.
  return weight * 6 > mostBytes ? textOf(object).length : weight
}

/** Characters of the JSON of a value if none of them has to be escaped, and numbers have no more than five. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 5
  let weight = 2
  if (Array.isArray(value)) for (const item of value) weight += weightOf(item) + 1
  else for (const key in value) weight += key.length + 4 + weightOf((value as Readonly<Record<string, unknown>>)[key])
  return weight
}
