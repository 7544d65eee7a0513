import type { Draft, Json, Kind, Resource } from '../kinds/index.ts'
import { decode } from '../kinds/index.ts'
import { StoreError } from '../store/index.ts'
import type { WriteOptions } from '../store/index.ts'
import { type Body, goTypeOf, readBody } from './body.ts'
import { header } from './call.ts'
import { badRequest } from './errors.ts'
import type { ResourceExchange } from './exchange.ts'
import { metadataComplaint } from './metadata-types.ts'
import { isObject } from './patch/merge-patch.ts'
import type { WriteQuery } from './write-options.ts'

type JsonObject = { readonly [key: string]: Json }

/** Reads the object that a create or update carries and checks that it belongs where it was sent. */
export async function readIncoming(exchange: ResourceExchange): Promise<Body & { readonly object: JsonObject & Draft<Resource> }> {
  const { call, served } = exchange
  const body = await readBody(await exchange.body(), header(call, 'content-type'), served.kind.name)
  const object = placed(exchange, body.object)
  const complaint = metadataComplaint(object.metadata, served.kind.builtIn ? 'ObjectMeta.metadata' : 'ObjectMeta')
  if (complaint !== undefined) throw badRequest(`${described(served.kind)}: ${complaint}`)
  return { ...body, object }
}

/** The object, if it is of the right kind and in the right namespace; what it leaves open the path fills in. */
export function placed({ served: { kind }, resource }: ResourceExchange, object: JsonObject): JsonObject & Draft<Resource> {
  refuseOtherKinds(kind, object)
  const metadata = object['metadata'] ?? {}
  if (!isObject(metadata))
    throw badRequest(`${described(kind)}: json: cannot unmarshal ${goTypeOf(metadata)} into Go value of type v1.ObjectMeta`)
  const { namespace, name } = metadata
  refuseOddText(kind, 'name', name)
  refuseOddText(kind, 'namespace', namespace)
  if (kind.scope === 'Cluster' || resource.namespace === undefined) return { ...object, metadata }
  if (namespace !== undefined && namespace !== '' && namespace !== resource.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  return { ...object, metadata: { ...metadata, namespace: resource.namespace } }
}

/** Kinds that Kubernetes itself serves may leave out what they are; the others may not. */
function refuseOtherKinds(kind: Kind, object: JsonObject): void {
  const { kind: name = '', apiVersion = '' } = object
  if (name === '' && !kind.builtIn) {
    throw badRequest(`the object provided is unrecognized (must be of type ${kind.name}): Object 'Kind' is missing`)
  }
  if (apiVersion !== '' && apiVersion !== kind.apiVersion) {
    throw badRequest(`the API version in the data (${textOf(apiVersion)}) does not match the expected API version (${kind.apiVersion})`)
  }
  if (apiVersion === '' && !kind.builtIn) {
    throw badRequest(`the object provided is unrecognized (must be of type ${kind.name}): Object 'apiVersion' is missing`)
  }
  if (name === '' || name === kind.name) return
  if (kind.builtIn)
    throw badRequest(`${textOf(name)} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.name}: wrong kind`)
  const message = `Invalid value: ${JSON.stringify(name)}: must be ${kind.name}`
  const { metadata } = object
  const objectName = isObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : ''
  throw new StoreError('Invalid', `${textOf(name)}.${kind.group} ${JSON.stringify(objectName)} is invalid: kind: ${message}`, {
    group: kind.group,
    kind: textOf(name),
    name: objectName,
    problems: [{ path: 'kind', reason: 'FieldValueInvalid', message }],
  })
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function refuseOddText(kind: Kind, field: string, value: Json | undefined): void {
  if (value === undefined || value === null || typeof value === 'string') return
  throw badRequest(`${described(kind)}: json: cannot unmarshal ${goTypeOf(value)} into Go struct field ObjectMeta.${field} of type string`)
}

function described(kind: Kind): string {
  return `${kind.name} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.name}`
}

/**
 * The name in the object must be there and be the one in the path. What has none was not meant: a patch that takes the metadata away
 * would take labels and finalizers with it, and an empty body would scale to nothing.
 */
export function refuseOtherNames(object: Draft<Resource>, name: string): void {
  const own = object.metadata.name ?? ''
  if (own === '') throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
  if (own !== name) throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`)
}

/** What a store is told about a write; warnings go to whoever asked. */
export function writeOptions(exchange: ResourceExchange, options: WriteQuery): WriteOptions {
  return {
    dryRun: options.dryRun,
    fieldValidation: options.fieldValidation,
    onWarning: warning => exchange.warnings.push(warning),
    signal: exchange.signal,
  }
}

/**
 * Deals with what is suspicious about the text of a body. The store finds unknown fields itself, but never sees a key that
 * occurred twice.
 */
export function checkComplaints(exchange: ResourceExchange, { object, complaints }: Body, options: WriteQuery): void {
  if (complaints.length === 0 || options.fieldValidation === 'Ignore') return
  if (options.fieldValidation === 'Warn') {
    exchange.warnings.push(...complaints)
    return
  }
  const unknown = decode(exchange.served.kind, object).unknownFields.map(path => `unknown field ${JSON.stringify(path)}`)
  throw badRequest(`${described(exchange.served.kind)}: strict decoding error: ${[...complaints, ...unknown].join(', ')}`)
}

/** Kubernetes refuses the patched object. It is not repeated here: it may hold a secret. */
export function strictPatchRefusal(error: unknown): unknown {
  const complaint = StoreError.is(error, 'BadRequest') ? /strict decoding error: .*/s.exec(error.message)?.[0] : undefined
  if (complaint === undefined) return error
  const message = `Invalid value: "{...}": ${complaint}`
  return new StoreError('Invalid', ` "" is invalid: patch: ${message}`, {
    problems: [{ path: 'patch', reason: 'FieldValueInvalid', message }],
  })
}

/** Names that Kubernetes itself puts among the finalizers. */
const ownFinalizers = new Set(['orphan', 'foregroundDeletion'])

/** More than the headers of an answer hold. */
const maxFinalizerWarnings = 100

/** Warns of finalizers without a domain, which two programs could use for different things, as Kubernetes does for custom kinds. */
export function warnOfFinalizers(exchange: ResourceExchange, object: Draft<Resource>, before: readonly string[] = []): void {
  if (exchange.served.kind.builtIn || !Array.isArray(object.metadata.finalizers)) return
  const known = new Set<unknown>(before)
  const isVague = (finalizer: unknown) =>
    typeof finalizer === 'string' && !finalizer.includes('/') && !ownFinalizers.has(finalizer) && !known.has(finalizer)
  for (const finalizer of (object.metadata.finalizers as readonly unknown[]).filter(isVague).slice(0, maxFinalizerWarnings)) {
    const advice = 'prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers'
    exchange.warnings.push(`metadata.finalizers: ${JSON.stringify(finalizer)}: ${advice}`)
  }
}
