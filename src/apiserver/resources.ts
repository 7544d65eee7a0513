import type { Chance, Clock } from '../ports/index.ts'
import type { Answer } from './call.ts'
import { createObject } from './create.ts'
import { deleteCollection, deleteObject } from './delete.ts'
import { badRequest, methodNotAllowed, noSuchResource } from './errors.ts'
import type { Exchange, ObjectExchange, ResourceExchange } from './exchange.ts'
import { patchObject } from './patch.ts'
import { getObject, listObjects } from './read.ts'
import { scaleObject } from './scale.ts'
import { type Registry, type Served, subresourceVerbs } from './served.ts'
import type { ResourceTarget } from './target.ts'
import { updateObject } from './update.ts'
import { watchObjects, type WatchRoom } from './watch.ts'

/** What the handlers of resources work with. */
export interface ResourceRoom extends WatchRoom {
  readonly clock: Clock
  readonly chance: Chance
  readonly registry: Registry
}

/** Answers a request about objects. */
export async function resourceAnswer(exchange: Exchange, resource: ResourceTarget, room: ResourceRoom): Promise<Answer> {
  const served = room.registry.find(resource.group, resource.version, resource.plural)
  if (served === undefined || resource.tooDeep || !isInPlace(served, resource)) throw noSuchResource()
  const about: ResourceExchange = { ...exchange, served, resource, store: await served.open() }
  if (isAboutOne(about)) return resource.subresource === undefined ? objectAnswer(about, room) : subresourceAnswer(about, room)
  return collectionAnswer(about, room)
}

/** Objects of namespaced kinds are listed across namespaces, but each is in one. */
function isInPlace({ kind }: Served, { namespace, name }: ResourceTarget): boolean {
  if (kind.scope === 'Namespaced') return namespace !== undefined || name === undefined
  return namespace === undefined || kind.name === 'Namespace'
}

function isAboutOne(exchange: ResourceExchange): exchange is ObjectExchange {
  return exchange.resource.name !== undefined
}

function collectionAnswer(exchange: ResourceExchange, room: ResourceRoom): Promise<Answer> {
  const { verb, served, resource } = exchange
  refuseOtherVerbs(exchange, served.verbs)
  switch (verb) {
    case 'list':
      return listObjects(exchange, room.clock)
    case 'watch':
      return watchObjects(exchange, room)
    case 'create':
      if (served.kind.scope === 'Namespaced' && resource.namespace === undefined) throw noSuchResource()
      return createObject(exchange, room.clock)
    case 'deletecollection':
      // As in Kubernetes: nothing is deleted in all namespaces by one request.
      if (served.kind.scope === 'Namespaced' && resource.namespace === undefined) throw noSuchResource()
      if (resource.namespace === '') throw badRequest('Namespace parameter required.')
      return deleteCollection(exchange, room.clock)
    default:
      throw verb === 'update' || verb === 'patch' ? badRequest('name must be provided') : methodNotAllowed(verb, served.kind)
  }
}

function objectAnswer(exchange: ObjectExchange, room: ResourceRoom): Promise<Answer> {
  const { verb, served } = exchange
  refuseOtherVerbs(exchange, served.verbs)
  switch (verb) {
    case 'get':
      return getObject(exchange, room.clock)
    case 'update':
      return updateObject(exchange, room.clock)
    case 'patch':
      return patchObject(exchange, room.clock)
    case 'delete':
      return deleteObject(exchange, room.clock)
    default:
      throw methodNotAllowed(verb, served.kind)
  }
}

function subresourceAnswer(exchange: ObjectExchange, room: ResourceRoom): Promise<Answer> {
  const { verb, served, resource } = exchange
  const subresource = served.subresources.find(one => one === resource.subresource)
  if (subresource === undefined) throw noSuchResource()
  refuseOtherVerbs(exchange, subresourceVerbs[subresource])
  if (subresource === 'scale') return scaleObject(exchange)
  if (verb === 'get') return getObject(exchange, room.clock)
  return verb === 'update' ? updateObject(exchange, room.clock) : patchObject(exchange, room.clock)
}

function refuseOtherVerbs({ verb, served }: ResourceExchange, allowed: readonly string[]): void {
  if (!allowed.includes(verb)) throw methodNotAllowed(verb, served.kind)
}
