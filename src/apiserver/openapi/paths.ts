import type { Kind } from '../../kinds/index.ts'
import type { Served } from '../served.ts'
import { groupVersionKind, reference, schemaName } from './schemas.ts'

interface Operation {
  readonly 'x-kubernetes-action': keyof typeof verbOf
}

/** Kubernetes' names of the operations, and of the rights to do them. */
const verbOf = {
  get: 'get',
  list: 'list',
  post: 'create',
  put: 'update',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'deletecollection',
} as const

const parameter = (name: string, description: string, type = 'string') => ({
  name,
  in: 'query',
  description,
  schema: { type, uniqueItems: true },
})
const dryRun = parameter('dryRun', 'All: check and answer, but change nothing.')
const fieldManager = parameter('fieldManager', 'Who makes the change.')
const fieldValidation = parameter('fieldValidation', 'What to do about unknown and repeated fields: Strict, Warn or Ignore.')
const writes = [dryRun, fieldManager, fieldValidation]
const lists = [
  parameter('allowWatchBookmarks', 'Bookmarks are welcome.', 'boolean'),
  parameter('continue', 'Go on where another list stopped.'),
  parameter('fieldSelector', 'Only objects with these values in these fields.'),
  parameter('labelSelector', 'Only objects with these labels.'),
  parameter('limit', 'At most so many.', 'integer'),
  parameter('resourceVersion', 'Which revision to show or to go on from.'),
  parameter('resourceVersionMatch', 'How to take the revision: Exact or NotOlderThan.'),
  parameter('sendInitialEvents', 'Begin a watch with all there is.', 'boolean'),
  parameter('timeoutSeconds', 'How long a watch may last.', 'integer'),
  parameter('watch', 'Go on with what changes.', 'boolean'),
]
const deletes = [dryRun, parameter('propagationPolicy', 'What becomes of owned objects: Background, Foreground or Orphan.')]
const patchTypes = ['application/json-patch+json', 'application/merge-patch+json']

/** The paths of a kind, with what may be done there. */
export function kindPaths({ kind, verbs, subresources }: Served): Readonly<Record<string, object>> {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  const namespaced = kind.scope === 'Namespaced'
  const collection = namespaced ? `${root}/namespaces/{namespace}/${kind.plural}` : `${root}/${kind.plural}`
  const item = `${collection}/{name}`
  const place = [pathParameter('namespace', 'the namespace')].filter(() => namespaced)
  const object = [...place, pathParameter('name', `the name of the ${kind.name}`)]
  const allowed = (operations: Readonly<Record<string, Operation>>) =>
    Object.fromEntries(Object.entries(operations).filter(([, { 'x-kubernetes-action': action }]) => verbs.includes(verbOf[action])))
  return {
    [collection]: { ...allowed(collectionOperations(kind)), parameters: place },
    [item]: { ...allowed(objectOperations(kind)), parameters: object },
    ...(namespaced ? { [`${root}/${kind.plural}`]: allowed({ get: operation(kind, 'list', lists, `${schemaName(kind)}List`) }) } : {}),
    ...Object.fromEntries(subresources.map(one => [`${item}/${one}`, { ...subresourceOperations(kind, one), parameters: object }])),
  }
}

function collectionOperations(kind: Kind) {
  return {
    get: operation(kind, 'list', lists, `${schemaName(kind)}List`),
    post: { ...operation(kind, 'post', writes), requestBody: bodyOf(kind) },
    delete: operation(kind, 'deletecollection', [...lists, ...deletes], statusName),
  }
}

function objectOperations(kind: Kind) {
  return {
    get: operation(kind, 'get', [parameter('resourceVersion', 'Not older than this revision.')]),
    put: { ...operation(kind, 'put', writes), requestBody: bodyOf(kind) },
    patch: { ...operation(kind, 'patch', writes), requestBody: patchBody(kind) },
    delete: operation(kind, 'delete', deletes, statusName),
  }
}

function subresourceOperations(kind: Kind, subresource: Served['subresources'][number]): object {
  const { get, put, patch } = objectOperations(kind)
  if (subresource === 'finalize') return { put }
  if (subresource === 'status') return { get, put, patch }
  const scale = { 'x-kubernetes-group-version-kind': { group: 'autoscaling', version: 'v1', kind: 'Scale' } }
  return { get: { ...get, ...scale }, put: { ...put, ...scale }, patch: { ...patch, ...scale } }
}

const statusName = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status'

function operation(kind: Kind, action: keyof typeof verbOf, parameters: readonly object[], answer = schemaName(kind)) {
  const verb = verbOf[action]
  return {
    description: `${verb} ${verb === 'list' || verb === 'deletecollection' ? kind.plural : `a ${kind.name}`}`,
    parameters,
    responses: { 200: { description: 'OK', content: { 'application/json': { schema: reference(answer) } } } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': groupVersionKind(kind),
  }
}

function bodyOf(kind: Kind): object {
  const schema = reference(schemaName(kind))
  return { required: true, content: { 'application/json': { schema }, 'application/yaml': { schema } } }
}

function patchBody(kind: Kind): object {
  const types = kind.builtIn ? [...patchTypes, 'application/strategic-merge-patch+json'] : patchTypes
  return { required: true, content: Object.fromEntries(types.map(type => [type, { schema: { type: 'object' } }])) }
}

function pathParameter(name: string, description: string): object {
  return { name, in: 'path', description, required: true, schema: { type: 'string', uniqueItems: true } }
}
