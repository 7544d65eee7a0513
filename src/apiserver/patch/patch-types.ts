import type { Json, Kind } from '../../kinds/index.ts'
import { StoreError } from '../../store/index.ts'
import { fromJson, goTypeOf, mediaType } from '../body.ts'
import { badRequest, unsupportedMediaType } from '../errors.ts'
import { inspectJson } from '../json-text.ts'
import { applyJsonPatch, type Operation } from './json-patch.ts'
import { JsonPatchError } from './json-patch-error.ts'
import { listPolicies } from './list-policies.ts'
import { applyMergePatch } from './merge-patch.ts'
import { applyStrategicMerge, StrategicPatchError } from './strategic-merge.ts'

type JsonObject = { readonly [key: string]: Json }

/** A patch that was read: what it makes of an object, and what is suspicious about its text. */
export interface Patch {
  apply(object: JsonObject): Json
  readonly complaints: readonly string[]
}

const jsonPatch = 'application/json-patch+json'
const mergePatch = 'application/merge-patch+json'
const strategicPatch = 'application/strategic-merge-patch+json'
const serverSideApply = 'application/apply-patch+yaml'
const maxOperations = 10_000
/** An operation is a list item with up to four fields. */
const maxPatchValues = 6 * maxOperations

/**
 * Reads a patch by its content type. The strategic merge is for the kinds of Kubernetes itself: it needs to know their lists, and
 * a real server refuses it for custom kinds, too.
 */
export function readPatch(bytes: Buffer, contentType: string | undefined, kind: Pick<Kind, 'name' | 'builtIn'>): Patch {
  const type = mediaType(contentType)
  const accepted = kind.builtIn ? [jsonPatch, mergePatch, strategicPatch] : [jsonPatch, mergePatch]
  if (type === serverSideApply) {
    throw unsupportedMediaType(accepted, '; server-side apply is not supported, use `kubectl apply` without --server-side')
  }
  if (!accepted.includes(type)) throw unsupportedMediaType(accepted)
  const text = bytes.toString('utf8')
  if (type === jsonPatch) return readJsonPatch(text)
  const { object, complaints } = fromJson(text, why => badRequest(`error decoding patch: ${why}`))
  if (type === mergePatch) return { complaints, apply: target => applyMergePatch(target, object) }
  const policies = listPolicies(kind)
  return { complaints, apply: target => refusing(StrategicPatchError, badRequest, () => applyStrategicMerge(target, object, policies)) }
}

function readJsonPatch(text: string): Patch {
  const { duplicates, error } = inspectJson(text, maxPatchValues)
  if (error !== undefined) throw badRequest(`error decoding patch: ${error}`)
  const value = JSON.parse(text) as Json
  if (!Array.isArray(value)) throw badRequest(`error decoding patch: json: cannot unmarshal ${goTypeOf(value)} into a list of operations`)
  const operations = value.map(readOperation)
  if (operations.length > maxOperations) {
    const message = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`
    throw new StoreError('RequestEntityTooLarge', `Request entity too large: ${message}`)
  }
  return {
    complaints: duplicates.map(path => `json patch duplicate field ${JSON.stringify(path)}`),
    apply: target => refusing(JsonPatchError, rejected, () => applyJsonPatch(target, operations)),
  }
}

function readOperation(value: Json): Operation {
  const { op, path, from } = (value ?? {}) as { readonly [key: string]: Json }
  if (typeof value !== 'object' || typeof op !== 'string' || typeof path !== 'string' || (from !== undefined && typeof from !== 'string')) {
    throw badRequest('error decoding patch: an operation needs the texts op and path')
  }
  return value as unknown as Operation
}

/** Kubernetes says no more than the first half; the second helps. */
function rejected(why: string): StoreError {
  const message = 'the server rejected our request due to an error in our request'
  return new StoreError('Invalid', message, { fix: why })
}

function refusing<T>(type: new (message: string) => Error, refusal: (why: string) => StoreError, apply: () => T): T {
  try {
    return apply()
  } catch (error) {
    if (error instanceof type) throw refusal(error.message)
    throw error
  }
}
