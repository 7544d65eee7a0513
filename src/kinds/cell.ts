import { ageOf } from './age.ts'
import { goValue } from './decode/go-text.ts'
import { evaluatePath } from './json-path.ts'
import type { Column } from './kind.ts'
import type { Resource } from './resource.ts'

/**
 * What stands in a column for an object; null for nothing. Ages are counted to `now`, in milliseconds since 1970. A value that does
 * not fit the type of its column leaves the cell empty, as Kubernetes does.
 */
export function cellOf(column: Column, object: Resource, now: number): string | number | boolean | null {
  if (column.value !== undefined) return column.value(object, now)
  const value = evaluatePath(column.path, object)
  if (value === undefined || value === null) return column.format === 'name' ? '' : null
  switch (column.type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? age(value, now) : null
    case 'string':
      return typeof value === 'string' ? value : goValue(value)
  }
}

function age(moment: string, now: number): string {
  const text = ageOf(moment, now)
  return text === '<unknown>' && moment !== '' ? '<invalid>' : text
}
