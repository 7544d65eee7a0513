import type { Kind } from '../../kinds/index.ts'
import { StoreError } from '../errors.ts'

/** One condition on a field: it has the value, or (`equal` false) it has not. A missing field has the empty value. */
export interface FieldRequirement {
  readonly path: string
  readonly equal: boolean
  readonly value: string
}

/** Conditions that must all hold. */
export type FieldSelector = readonly FieldRequirement[]

/** A text as it stands in a field selector, where some signs have a meaning: `spec.owner=${fieldSelectorValue(owner)}`. */
export function fieldSelectorValue(text: string): string {
  return text.replace(/[\\,=]/g, String.raw`\$&`)
}

/** Each is asked of every object of a list and of every change of a watch. */
const maxTerms = 50

/**
 * Reads Kubernetes' field selector syntax: `metadata.name=x,status.phase!=Failed`; a backslash takes the meaning from `,`, `=`
 * and itself. With a kind, only the fields that it declares are accepted. Throws BadRequest.
 */
export function parseFieldSelector(text: string, kind?: Kind): FieldSelector {
  const terms = termsOf(text)
  if (terms.length > maxTerms) {
    throw new StoreError('BadRequest', `invalid selector: more than ${maxTerms} terms`, { fix: 'select fewer fields, or list everything' })
  }
  const requirements = terms.map(requirementOf)
  const unknown = kind === undefined ? undefined : requirements.find(({ path }) => !isSelectable(kind, path))
  if (unknown !== undefined) {
    throw new StoreError('BadRequest', `field label not supported: ${unknown.path}`, {
      fix: `use one of ${['metadata.name', 'metadata.namespace', ...kind!.selectableFields].join(', ')}`,
    })
  }
  return requirements
}

function isSelectable(kind: Kind, path: string): boolean {
  return path === 'metadata.name' || path === 'metadata.namespace' || kind.selectableFields.includes(path)
}

/** Splits at commas that no backslash stands before; empty terms say nothing. */
function termsOf(text: string): readonly string[] {
  return (text.match(/(?:\\.|[^,\\]|\\$)+/gs) ?? []).filter(term => term !== '')
}

function requirementOf(term: string): FieldRequirement {
  const match = /^(?<path>[^=!]*)(?<operator>!=|==|=)(?<value>(?:\\[\\,=]|[^\\=,])*)$/s.exec(term)
  if (match?.groups === undefined) {
    throw new StoreError('BadRequest', `invalid selector: '${term}'; can't understand '${term}'`, {
      fix: 'write a field selector such as metadata.name=x,status.phase!=Failed',
    })
  }
  const { path, operator, value } = match.groups as { path: string; operator: string; value: string }
  return { path, equal: operator !== '!=', value: value.replace(/\\([\\,=])/g, '$1') }
}
