import { evaluatePath, type Json, type Kind, type Resource } from '../kinds/index.ts'
import { StoreError } from '../store/index.ts'
import { readBody } from './body.ts'
import { type Answer, header } from './call.ts'
import { badRequest, notAcceptable } from './errors.ts'
import { keyOf, type ObjectExchange } from './exchange.ts'
import { refuseOtherNames, writeOptions } from './incoming.ts'
import { isObject } from './patch/merge-patch.ts'
import { readPatch } from './patch/patch-types.ts'
import { retryingConflicts } from './patch.ts'
import { answer, viewOf } from './view.ts'
import { readWriteQuery, type WriteQuery } from './write-options.ts'

type JsonObject = { readonly [key: string]: Json }

/** What all kinds that can be scaled have in common, whatever they call it. */
interface Scale extends Resource {
  readonly spec: { readonly replicas: number }
  readonly status: { readonly replicas: number; readonly selector?: string }
}

/** Answers to the scale subresource: GET, PUT and PATCH of an `autoscaling/v1` Scale. */
export async function scaleObject(exchange: ObjectExchange): Promise<Answer> {
  const { call, query, store, served } = exchange
  const view = viewOf(call, query)
  if (view.as !== 'itself') throw notAcceptable(['application/json', 'application/yaml'])
  if (exchange.verb === 'get') return answer(view, scaleOf(served.kind, await store.get(served.kind, keyOf(exchange))))
  const scaled = exchange.verb === 'update' ? await replaceScale(exchange) : await patchScale(exchange)
  return answer(view, scaleOf(served.kind, scaled))
}

async function replaceScale(exchange: ObjectExchange): Promise<Resource> {
  const options = readWriteQuery(exchange, 'UpdateOptions')
  const { object } = await readBody(await exchange.body(), header(exchange.call, 'content-type'), 'Scale')
  return retryingConflicts(exchange, current => writeScale(exchange, current, object, options))
}

async function patchScale(exchange: ObjectExchange): Promise<Resource> {
  const options = readWriteQuery(exchange, 'PatchOptions')
  const patch = readPatch(await exchange.body(), header(exchange.call, 'content-type'), { name: 'Scale', builtIn: false })
  return retryingConflicts(exchange, current => {
    const result = patch.apply(scaleOf(exchange.served.kind, current) as unknown as JsonObject)
    if (!isObject(result)) throw badRequest('the patch leaves no object')
    return writeScale(exchange, current, result, options)
  })
}

function writeScale(exchange: ObjectExchange, current: Resource, object: JsonObject, options: WriteQuery) {
  const { store, served, resource } = exchange
  const { kind = '', apiVersion = '', metadata = {}, spec = {} } = object
  if ((kind !== '' && kind !== 'Scale') || (apiVersion !== '' && apiVersion !== 'autoscaling/v1')) {
    throw badRequest(
      `the object provided is unrecognized (must be of type Scale): it is ${JSON.stringify(kind)} of ${JSON.stringify(apiVersion)}`,
    )
  }
  if (!isObject(metadata) || !isObject(spec)) throw badRequest('metadata and spec of a Scale must be objects')
  refuseOtherNames({ metadata }, resource.name)
  const { resourceVersion: asked } = metadata as { readonly resourceVersion?: string }
  const { resourceVersion: found } = current.metadata
  const next = withReplicas(served.kind, current, replicasOf(spec), asked === undefined || asked === '' ? found! : asked)
  return {
    asks: asked !== undefined && asked !== '' && asked !== found,
    update: () => store.update(served.kind, next, writeOptions(exchange, options)),
  }
}

function replicasOf({ replicas = 0 }: JsonObject): number {
  if (typeof replicas === 'number' && Number.isInteger(replicas)) return replicas
  const message = `Invalid value: ${JSON.stringify(replicas)}: must be a whole number`
  throw new StoreError('Invalid', `Scale.autoscaling "" is invalid: spec.replicas: ${message}`, {
    group: 'autoscaling',
    kind: 'Scale',
    problems: [{ path: 'spec.replicas', reason: 'FieldValueInvalid', message }],
  })
}

function scaleOf(kind: Kind, object: Resource): Scale {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = kind.scale!
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const selector = labelSelectorPath === undefined ? undefined : evaluatePath(labelSelectorPath, object)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: { replicas: numberAt(specReplicasPath, object) },
    status: { replicas: numberAt(statusReplicasPath, object), ...(typeof selector === 'string' ? { selector } : {}) },
  }
}

function numberAt(path: string, object: Resource): number {
  const value = evaluatePath(path, object)
  return typeof value === 'number' ? value : 0
}

/** The paths of a scale are plain: names with dots between them. */
function withReplicas(kind: Kind, object: Resource, replicas: number, resourceVersion: string): Resource {
  const steps = kind.scale!.specReplicasPath.split('.').slice(1)
  const changed = setAt(object as unknown as JsonObject, steps, replicas) as unknown as Resource
  return { ...changed, metadata: { ...changed.metadata, resourceVersion } }
}

function setAt(object: JsonObject, [step, ...rest]: readonly string[], value: Json): JsonObject {
  const inner = object[step!]
  return { ...object, [step!]: rest.length === 0 ? value : setAt(isObject(inner) ? inner : {}, rest, value) }
}
