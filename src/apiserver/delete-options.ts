import type { FieldProblem, Json } from '../kinds/index.ts'
import type { DeleteOptions } from '../store/index.ts'
import { badRequest, invalidOptions, notSupported } from './errors.ts'
import { readInteger } from './list-options.ts'
import { isTrue } from './verb.ts'
import { dryRunProblems } from './write-options.ts'

/** Kubernetes' DeleteOptions, as far as they mean anything here. Grace periods are for pods. */
interface WireDeleteOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly propagationPolicy?: string
  readonly orphanDependents?: boolean
  readonly dryRun?: readonly string[]
}

type StoreDeleteOptions = Omit<DeleteOptions, 'signal'> & {
  /** Old clients that said "not orphans" are answered 202 while finalizers hold the object. */
  readonly acceptedIfHeld: boolean
}

const policies = ['Foreground', 'Background', 'Orphan'] as const

/**
 * Reads how to delete: from the body if there is one, whatever the query says, else from the query. Throws BadRequest or Invalid, in
 * Kubernetes' words.
 */
export function readDeleteOptions(query: URLSearchParams, body: { readonly [key: string]: Json } | undefined): StoreDeleteOptions {
  const wire = body === undefined ? fromQuery(query) : fromBody(body)
  const dryRun = wire.dryRun ?? []
  const problems = [...policyProblems(wire), ...dryRunProblems(dryRun)]
  if (problems.length > 0) throw invalidOptions('DeleteOptions', problems)
  const propagation = propagationOf(wire)
  const { uid, resourceVersion } = wire.preconditions ?? {}
  return {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(propagation === undefined ? {} : { propagation }),
    dryRun: dryRun.length > 0,
    acceptedIfHeld: wire.orphanDependents === false,
  }
}

function fromQuery(query: URLSearchParams): WireDeleteOptions {
  readInteger(query, 'gracePeriodSeconds')
  const policy = query.get('propagationPolicy')
  const uid = query.get('preconditions.uid')
  return {
    ...(policy === null || policy === '' ? {} : { propagationPolicy: policy }),
    ...(query.has('orphanDependents') ? { orphanDependents: isTrue(query.get('orphanDependents')) } : {}),
    ...(uid === null ? {} : { preconditions: { uid } }),
    dryRun: query.getAll('dryRun'),
  }
}

function fromBody(body: { readonly [key: string]: Json }): WireDeleteOptions {
  const { kind = 'DeleteOptions', preconditions = {}, propagationPolicy, orphanDependents, dryRun = [] } = body
  if (kind !== 'DeleteOptions') throw badRequest(`the body of a delete must be of kind DeleteOptions, not ${JSON.stringify(kind)}`)
  const { uid, resourceVersion } = asObject(preconditions, 'preconditions')
  const seconds = body['gracePeriodSeconds'] ?? 0
  if (!Number.isInteger(seconds)) throw badRequest('gracePeriodSeconds must be a whole number')
  if (!Array.isArray(dryRun) || !dryRun.every(one => typeof one === 'string')) throw badRequest('dryRun must be a list of texts')
  return {
    preconditions: {
      ...optional('uid', uid, 'string'),
      ...optional('resourceVersion', resourceVersion, 'string'),
    },
    ...optional('propagationPolicy', propagationPolicy, 'string'),
    ...optional('orphanDependents', orphanDependents, 'boolean'),
    dryRun,
  }
}

function asObject(value: Json, name: string): { readonly [key: string]: Json } {
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw badRequest(`${name} must be an object`)
  return value as { readonly [key: string]: Json }
}

function optional(name: string, value: Json | undefined, type: 'string' | 'boolean'): Record<string, never> {
  if (value === undefined || value === null) return {}
  if (typeof value !== type) throw badRequest(`${name} must be a ${type}`)
  return { [name]: value } as Record<string, never>
}

function policyProblems({ propagationPolicy, orphanDependents }: WireDeleteOptions): readonly FieldProblem[] {
  if (propagationPolicy === undefined) return []
  if (orphanDependents !== undefined) {
    const message = `Invalid value: "${propagationPolicy}": orphanDependents and deletionPropagation cannot be both set`
    return [{ path: 'propagationPolicy', reason: 'FieldValueInvalid', message }]
  }
  if ((policies as readonly string[]).includes(propagationPolicy)) return []
  return [notSupported('propagationPolicy', JSON.stringify(propagationPolicy), [...policies, 'nil'])]
}

function propagationOf({ propagationPolicy, orphanDependents }: WireDeleteOptions): DeleteOptions['propagation'] {
  if (propagationPolicy !== undefined) return propagationPolicy as (typeof policies)[number]
  if (orphanDependents === undefined) return undefined
  return orphanDependents ? 'Orphan' : 'Background'
}
