import type { Kind } from '../../kinds/index.ts'
import type { Selection } from '../store.ts'
import { type FieldSelector, parseFieldSelector } from './field-selector.ts'
import { type LabelSelector, matchesLabels, parseLabelSelector } from './label-selector.ts'

/** What selectors look at. */
export interface Selectable {
  /** `namespace/name`, or the name alone. */
  readonly key: string
  readonly labels: Readonly<Record<string, string>> | undefined
  /** Values of the kind's selectable fields, in the kind's order; empty where the object has none. */
  readonly fields: readonly string[]
}

/** A selection, read and checked once, asked many times. */
export interface CompiledSelection {
  /** The one namespace or the one object (`key`) to which it is limited, if it is. */
  readonly namespace: string | undefined
  readonly key: string | undefined
  readonly labels: LabelSelector
  readonly fields: FieldSelector
  /** True if it has neither label nor field conditions. */
  readonly plain: boolean
  matches(candidate: Selectable): boolean
}

/** Reads the selectors of a list or a watch. Throws BadRequest. */
export function compileSelection(kind: Kind, selection: Selection): CompiledSelection {
  const labels = parseLabelSelector(selection.labelSelector ?? '')
  const fields = parseFieldSelector(selection.fieldSelector ?? '', kind)
  const namespaced = kind.scope === 'Namespaced'
  const wanted = (path: string) => fields.find(field => field.path === path && field.equal)?.value
  const namespace = namespaced ? (nonEmpty(selection.namespace) ?? nonEmpty(wanted('metadata.namespace'))) : undefined
  const name = wanted('metadata.name')
  const key = name === undefined ? undefined : namespaced ? (namespace === undefined ? undefined : `${namespace}/${name}`) : name
  const prefix = namespace === undefined ? undefined : `${namespace}/`
  const plain = labels.length === 0 && fields.length === 0

  const matches = (candidate: Selectable) =>
    (prefix === undefined || candidate.key.startsWith(prefix)) &&
    (labels.length === 0 || matchesLabels(labels, candidate.labels)) &&
    fields.every(({ path, equal, value }) => (fieldOf(kind, candidate, path) === value) === equal)

  return { namespace, key, labels, fields, plain, matches }
}

function fieldOf(kind: Kind, { key, fields }: Selectable, path: string): string {
  if (path === 'metadata.name') return key.slice(key.indexOf('/') + 1)
  if (path === 'metadata.namespace') return key.slice(0, Math.max(0, key.indexOf('/')))
  return fields[kind.selectableFields.indexOf(path)] ?? ''
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}
