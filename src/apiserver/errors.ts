import type { FieldProblem } from '../kinds/index.ts'
import { StoreError } from '../store/index.ts'

// What the API server refuses by itself, in Kubernetes' words, because clients match on them.

/** A request that makes no sense, whoever sends it. */
export function badRequest(message: string): StoreError {
  return new StoreError('BadRequest', message)
}

/** No such path, kind or subresource. */
export function noSuchResource(): StoreError {
  return new StoreError('NotFound', 'the server could not find the requested resource')
}

/** A verb that the resource does not have, or a method that the path does not have. */
export function methodNotAllowed(verb: string, resource?: { readonly group: string; readonly plural: string }): StoreError {
  if (resource === undefined) {
    return new StoreError('MethodNotAllowed', 'the server does not allow this method on the requested resource')
  }
  const qualified = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`
  return new StoreError('MethodNotAllowed', `${verb} is not supported on resources of kind "${qualified}"`, {
    group: resource.group,
    kind: resource.plural,
  })
}

/** A body in a format that is not read; `hint` says more than the formats that are. */
export function unsupportedMediaType(accepted: readonly string[], hint = ''): StoreError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}${hint}`
  return new StoreError('UnsupportedMediaType', message)
}

/** None of the formats that the client takes. */
export function notAcceptable(accepted: readonly string[]): StoreError {
  return new StoreError('NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`)
}

/** Query parameters or a DeleteOptions body that break a rule; `kind` is Kubernetes' name for that set of options. */
export function invalidOptions(kind: string, problems: readonly FieldProblem[]): StoreError {
  const texts = problems.map(problem => `${problem.path}: ${problem.message}`)
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  return new StoreError('Invalid', `${kind}.meta.k8s.io "" is invalid: ${list}`, { group: 'meta.k8s.io', kind, problems })
}

/** A value that is none of those that there are; `value` as it is to be shown. */
export function notSupported(path: string, value: string, supported: readonly string[]): FieldProblem {
  const values = supported.map(one => JSON.stringify(one)).join(', ')
  return { path, reason: 'FieldValueNotSupported', message: `Unsupported value: ${value}: supported values: ${values}` }
}

/** A parameter that must not stand beside another. */
export function forbiddenField(path: string, why: string): FieldProblem {
  return { path, reason: 'FieldValueForbidden', message: `Forbidden: ${why}` }
}

/** A body of more than so many bytes; `hint` says what else would do. */
export function tooLarge(limit: number, hint = ''): StoreError {
  return new StoreError('RequestEntityTooLarge', `Request entity too large: limit is ${limit}${hint}`, {
    fix: 'send less: keep large data out of objects',
  })
}

/** An object or patch of more values than are read: what each of them costs later counts, not only the bytes of the text. */
export function tooManyValues(limit: number): StoreError {
  return new StoreError('RequestEntityTooLarge', `Request entity too large: at most ${limit} fields and list items are accepted`, {
    fix: 'split the object: fewer fields, shorter lists',
  })
}

/** A request that took too long. Whether it was done is not known. */
export function timedOut(): StoreError {
  const message = 'Timeout: request did not complete within requested timeout - context deadline exceeded'
  return new StoreError('Timeout', message)
}
