import type { Kind, Resource } from '../../kinds/index.ts'
import { fieldValue } from '../../kinds/index.ts'
import type { Selectable } from '../selectors/selection.ts'
import type { Key } from '../store.ts'
import type { Stored } from '../stored.ts'

/** One revision of one object, with what selectors look at, so that nothing has to be parsed to find it. */
export interface Version extends Selectable {
  readonly revision: number
  readonly stored: Stored<Resource>
  /** Length of the object as text. */
  readonly size: number
}

/** The key of an object within its kind; sorted, keys list by namespace and name as etcd does. */
export function keyOf(kind: Kind, { namespace = '', name }: Key): string {
  return kind.scope === 'Namespaced' ? `${namespace}/${name}` : name
}

/** The values of a kind's selectable fields, in the kind's order. */
export function fieldsOf(kind: Kind, object: Resource): readonly string[] {
  return kind.selectableFields.length === 0 ? none : kind.selectableFields.map(path => fieldValue(object, path) ?? '')
}

const none: readonly string[] = Object.freeze([])
