import type { Access, Attempt, User } from '../access/index.ts'
import type { Json } from '../kinds/index.ts'
import { readBody } from './body.ts'
import { type Answer, header } from './call.ts'
import type { Review } from './discovery.ts'
import { badRequest, methodNotAllowed } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { isObject } from './patch/merge-patch.ts'
import { type Registry, type Served, subresourceVerbs } from './served.ts'
import { answer, viewOf } from './view.ts'

type JsonObject = { readonly [key: string]: Json }

/** Answers what somebody asks about themselves: who am I, may I do this, what may I do. Nothing is kept. */
export async function reviewAnswer(exchange: Exchange, review: Review, access: Access, registry: Registry): Promise<Answer> {
  if (exchange.verb !== 'create') throw methodNotAllowed(exchange.verb, review)
  const view = viewOf(exchange.call, exchange.query)
  const { object } = await readBody(await exchange.body(), header(exchange.call, 'content-type'), review.kind)
  const spec = isObject(object['spec']) ? object['spec'] : {}
  const head = { kind: review.kind, apiVersion: `${review.group}/${review.version}`, metadata: {} }
  switch (review.kind) {
    case 'SelfSubjectReview':
      return answer(view, { ...head, status: { userInfo: userInfo(exchange.user) } }, 201)
    case 'SelfSubjectAccessReview':
      return answer(view, { ...head, spec, status: decide(exchange.user, spec, access) }, 201)
    default:
      return answer(view, { ...head, spec: {}, status: rules(exchange.user, textOf(spec, 'namespace'), access, registry) }, 201)
  }
}

function userInfo({ name, groups }: User): object {
  return { username: name, groups }
}

function decide(user: User, spec: JsonObject, access: Access): object {
  const { allowed, reason } = access.authorize(user, attemptOf(spec))
  return { allowed, ...(reason === '' ? {} : { reason }) }
}

function attemptOf({ resourceAttributes, nonResourceAttributes }: JsonObject): Attempt {
  if (isObject(resourceAttributes) === isObject(nonResourceAttributes)) {
    throw badRequest('exactly one of spec.resourceAttributes and spec.nonResourceAttributes must be given')
  }
  if (isObject(nonResourceAttributes)) return { verb: textOf(nonResourceAttributes, 'verb'), path: textOf(nonResourceAttributes, 'path') }
  const asked = resourceAttributes as JsonObject
  const [namespace, name, subresource] = ['namespace', 'name', 'subresource'].map(field => textOf(asked, field))
  return {
    verb: textOf(asked, 'verb'),
    resource: {
      group: textOf(asked, 'group'),
      version: textOf(asked, 'version'),
      plural: textOf(asked, 'resource'),
      ...(namespace === '' ? {} : { namespace: namespace! }),
      ...(name === '' ? {} : { name: name! }),
      ...(subresource === '' ? {} : { subresource: subresource! }),
    },
  }
}

function textOf(object: JsonObject, field: string): string {
  const value = object[field]
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw badRequest(`${field} must be a text`)
  return value
}

/**
 * What somebody may do in a namespace: the guard is asked about every resource there is. It cannot be asked about every name, so it
 * tells by itself what it allows by names only.
 */
function rules(user: User, namespace: string, access: Access, registry: Registry): object {
  const asked = registry.all.flatMap(served =>
    questions(served, namespace).flatMap(({ verbs, resource, path }) => {
      const allowed = verbs.filter(verb => access.authorize(user, { verb, resource }).allowed)
      return allowed.length === 0 ? [] : [{ verbs: allowed, apiGroups: [resource.group], resources: [path] }]
    }),
  )
  const resourceRules = [...asked, ...access.namedRules(user, namespace)]
  const paths = ['/api', '/apis', '/healthz', '/livez', '/metrics', '/openapi', '/readyz', '/version']
  const open = paths.filter(path => access.authorize(user, { verb: 'get', path }).allowed)
  const nonResourceRules = open.length === 0 ? [] : [{ verbs: ['get'], nonResourceURLs: open }]
  return { resourceRules, nonResourceRules, incomplete: false }
}

/** What to ask about a kind and its subresources. */
function questions({ kind, verbs, subresources }: Served, namespace: string) {
  const { group, version, plural } = kind
  const resource = { group, version, plural, ...(kind.scope === 'Namespaced' ? { namespace } : {}) }
  return [
    { verbs, resource, path: plural },
    ...subresources.map(subresource => ({
      verbs: subresourceVerbs[subresource],
      resource: { ...resource, subresource },
      path: `${plural}/${subresource}`,
    })),
  ]
}
