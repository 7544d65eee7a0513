/** A request that was sent to a real kube-apiserver and is sent to ours: both must answer alike. */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const group = '/apis/demo.aviary.dev/v1alpha1'
const nests = `${group}/namespaces/wood/nests`
const maps = '/api/v1/namespaces/wood/configmaps'
const merge = { 'content-type': 'application/merge-patch+json' }
const json = { 'content-type': 'application/json-patch+json' }
const strategic = { 'content-type': 'application/strategic-merge-patch+json' }
const yaml = { 'content-type': 'application/yaml' }
const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' }
const as = (kind: string) => ({ accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` })

const get = (path: string, headers = {}): RecordedRequest => ({ method: 'GET', path, headers })
const post = (path: string, body: unknown, headers = {}): RecordedRequest => ({ method: 'POST', path, body, headers })
const put = (path: string, body: unknown, headers = {}): RecordedRequest => ({ method: 'PUT', path, body, headers })
const patch = (path: string, body: unknown, headers: Readonly<Record<string, string>>): RecordedRequest => ({
  method: 'PATCH',
  path,
  body,
  headers,
})
const remove = (path: string, body?: unknown): RecordedRequest =>
  body === undefined ? { method: 'DELETE', path } : { method: 'DELETE', path, body }

const nest = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'demo.aviary.dev/v1alpha1',
  kind: 'Nest',
  metadata: { name, ...metadata },
  spec,
})
const scale = (name: string, replicas: number, metadata: object = {}) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name, namespace: 'wood', ...metadata },
  spec: { replicas },
})
const twice = '{"apiVersion":"demo.aviary.dev/v1alpha1","kind":"Nest","metadata":{"name":"c"},"spec":{"eggs":1,"eggs":2,"x":1}}'
const yamlNest = (name: string, spec: string) =>
  `apiVersion: demo.aviary.dev/v1alpha1\nkind: Nest\nmetadata: {name: ${name}}\nspec:\n${spec}`
const watch = (parameters: string, headers = {}) => get(`${nests}?watch=1&timeoutSeconds=1&${parameters}`, headers)

/** In order: later ones meet what earlier ones left. They expect the namespace `wood` to be there and to be empty. */
export const recordedRequests: readonly RecordedRequest[] = [
  // creating
  post(nests, nest('a', { eggs: 2 })),
  post(nests, nest('a', { eggs: 2 })),
  get(`${nests}/a`),
  get(`${nests}/nope`),
  post(nests, nest('b', { eggs: 2, eggz: 1 })),
  post(`${nests}?fieldValidation=Strict`, nest('b2', { eggs: 2, eggz: 1, q: 2 })),
  post(`${nests}?fieldValidation=Ignore`, nest('b3', { eggz: 1 })),
  post(`${nests}?fieldValidation=Strict`, twice),
  post(`${nests}?fieldValidation=Warn`, twice),
  post(`${nests}?fieldValidation=Ignore`, twice),
  post(`${nests}?fieldValidation=Foo`, nest('d')),
  post(`${nests}?dryRun=Foo`, nest('d')),
  post(`${nests}?dryRun=All`, nest('d')),
  get(`${nests}/d`),
  post(nests, { ...nest('d'), kind: 'Other' }),
  post(nests, { ...nest('d'), apiVersion: 'v1' }),
  post(nests, yamlNest('spelt', '  eggs: 3\n'), yaml),
  post(`${nests}?fieldValidation=Strict`, yamlNest('spelt2', '  eggs: 3\n  eggs: 4\n  foo: 1\n'), yaml),
  post(nests, yamlNest('y', '  eggs: 3\n'), yaml),
  post(nests, nest('d'), { 'content-type': 'text/plain' }),
  post(nests, nest('D_')),
  post(nests, { ...nest('d'), metadata: {} }),
  post(nests, nest('d', {}, { namespace: 'other' })),
  post(nests, nest('d', { eggs: 99 })),
  post(nests, nest('d', { material: 'straw' })),
  post(nests, nest('d', { eggs: 'x' })),
  post(nests, nest('d', { guards: [{ name: 'a' }, { name: 'a' }] })),
  post(nests, nest('d', { guards: [{ post: 'a' }] })),
  post(`${group}/namespaces/nowhere/nests`, nest('d')),
  // replacing
  put(nests, nest('d')),
  put(`${nests}/a`, nest('a', { eggs: 3 })),
  put(`${nests}/a`, nest('zz', { eggs: 3 })),
  put(`${nests}/nope`, nest('nope', {}, { resourceVersion: '1' })),
  put(`${nests}/nope`, nest('nope')),
  put(`${nests}/a`, nest('a', {}, { resourceVersion: '1' })),
  // patching
  patch(nests, {}, merge),
  patch(`${nests}/a`, { spec: { eggs: 5 } }, merge),
  patch(`${nests}/a`, { spec: { eggs: 5, zzz: 1 } }, merge),
  patch(`${nests}/a?fieldValidation=Strict`, { spec: { eggs: 5, zzz: 1 } }, merge),
  patch(`${nests}/a?fieldValidation=Strict`, '{"spec":{"eggs":5,"eggs":6}}', merge),
  patch(`${nests}/a?fieldValidation=Warn`, '{"spec":{"eggs":5,"eggs":6}}', merge),
  patch(`${nests}/a`, { spec: { eggs: 55 } }, merge),
  patch(`${nests}/a`, { metadata: { resourceVersion: '1' } }, merge),
  patch(`${nests}/a`, '{', merge),
  patch(`${nests}/a`, { metadata: { name: 'q' } }, merge),
  patch(`${nests}/a`, { kind: 'Foo' }, merge),
  patch(`${nests}/a`, { spec: null }, merge),
  patch(`${nests}/a?dryRun=All`, { spec: { eggs: 9 } }, merge),
  patch(`${nests}/a`, { spec: { eggs: 5 } }, strategic),
  patch(`${nests}/a`, { spec: { eggs: 5 } }, { 'content-type': 'application/json' }),
  patch(`${nests}/a`, [{ op: 'replace', path: '/spec/eggs', value: 7 }], json),
  patch(`${nests}/a`, [{ op: 'test', path: '/spec/eggs', value: 8 }], json),
  patch(`${nests}/a`, [{ op: 'remove', path: '/spec/nope' }], json),
  patch(`${nests}/a`, [{ op: 'foo', path: '/spec/nope' }], json),
  patch(`${nests}/a`, '[{', json),
  patch(`${nests}/a`, [{ op: 'add', path: '/spec/x/y/z', value: 1 }], json),
  patch(`${nests}/a`, [{ op: 'add', path: 'spec', value: 1 }], json),
  patch(`${nests}/a`, [{ op: 'replace', path: '/spec/eggs', value: 99 }], json),
  patch(`${nests}/a`, [{ op: 'add', path: '/spec/guards/-', value: { name: 'x' } }], json),
  patch(`${nests}/a`, [{ op: 'copy', from: '/spec/eggs', path: '/metadata/q' }], json),
  patch(`${nests}/nope`, { spec: { eggs: 5 } }, merge),
  // deleting
  remove(`${nests}/nope`),
  remove(`${nests}/a`, { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'x' } }),
  remove(`${nests}/a`, { preconditions: { resourceVersion: '1' } }),
  remove(`${nests}/a`, { propagationPolicy: 'Foo' }),
  remove(`${nests}/a?propagationPolicy=Foo`),
  remove(`${nests}/a?gracePeriodSeconds=x`),
  remove(`${nests}/a`, { dryRun: ['All'] }),
  remove(`${nests}/a`, { dryRun: ['x'] }),
  patch(`${nests}/b`, { metadata: { finalizers: ['demo.aviary.dev/x'] } }, merge),
  remove(`${nests}/b`),
  remove(`${nests}/b`),
  patch(`${nests}/b`, { metadata: { finalizers: null } }, merge),
  get(`${nests}/b`),
  patch(`${nests}/b3`, { metadata: { finalizers: ['x'] } }, merge),
  remove(`${nests}/b3`, { propagationPolicy: 'Foreground' }),
  patch(`${nests}/b3`, { metadata: { finalizers: null } }, merge),
  patch(`${nests}/spelt`, { metadata: { finalizers: ['demo.aviary.dev/x'] } }, merge),
  remove(`${nests}/spelt`, { orphanDependents: false }),
  patch(`${nests}/spelt`, { metadata: { finalizers: null } }, merge),
  remove(`${nests}/a`, { preconditions: {} }),
  remove(nests),
  // listing
  post(nests, nest('one', { eggs: 2 }, { labels: { app: 'x' } })),
  post(nests, nest('two', { eggs: 2, material: 'moss' }, { labels: { app: 'y' } })),
  post(nests, nest('three')),
  get(nests),
  get(`${nests}/`),
  get(`${group}/nests`),
  get(`${nests}?limit=2`),
  get(`${nests}?limit=x`),
  get(`${nests}?limit=-1`),
  get(`${nests}?labelSelector=app%3Dx`),
  get(`${nests}?labelSelector=app%3D%3D%3D`),
  get(`${nests}?fieldSelector=spec.material%3Dmoss`),
  get(`${nests}?fieldSelector=spec.eggs%3D1`),
  get(`${nests}?fieldSelector=x`),
  get(`${nests}?fieldSelector=metadata.name%3Done`),
  get(`${nests}?resourceVersion=abc`),
  get(`${nests}?resourceVersion=0`),
  get(`${nests}?resourceVersionMatch=Exact`),
  get(`${nests}?resourceVersionMatch=Foo&resourceVersion=1`),
  get(`${nests}?resourceVersionMatch=Exact&resourceVersion=0`),
  get(`${nests}?resourceVersion=999999999`),
  get(`${nests}?continue=abc&resourceVersionMatch=Exact`),
  get(`${nests}/one?resourceVersion=999999999`),
  get(`${nests}/one?resourceVersion=0`),
  // shapes
  get(nests, asTable),
  get(`${nests}/one`, asTable),
  get(`${nests}?includeObject=None`, asTable),
  get(`${nests}?includeObject=Object&limit=1`, asTable),
  get(`${nests}?includeObject=Foo`, asTable),
  get(`${nests}/one`, as('PartialObjectMetadata')),
  get(nests, as('PartialObjectMetadataList')),
  get(`${nests}/one`, { accept: '*/*' }),
  get(`${nests}/one`, { accept: 'application/*' }),
  get(`${nests}/one`, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }),
  get(`${nests}/one`, { accept: 'application/vnd.kubernetes.protobuf,application/json' }),
  // watching
  watch(''),
  watch('resourceVersion=0&allowWatchBookmarks=true'),
  watch('resourceVersion=99999999'),
  watch('sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'),
  watch('sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true', asTable),
  watch('sendInitialEvents=true'),
  watch('sendInitialEvents=true&resourceVersionMatch=NotOlderThan'),
  watch('sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'),
  get(`${nests}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`),
  watch('resourceVersionMatch=Exact'),
  get(`${nests}?watch=1&timeoutSeconds=x`),
  get(`${nests}/one?watch=1&timeoutSeconds=1`),
  watch('fieldSelector=metadata.name%3Done'),
  watch('', as('PartialObjectMetadata')),
  watch('', asTable),
  watch('labelSelector=a%3D%3D%3D'),
  watch('fieldSelector=spec.eggs%3D1'),
  // subresources
  get(`${nests}/one/status`),
  get(`${nests}/one/scale`),
  patch(`${nests}/one/status`, { status: { phase: 'Brooding', hatched: 1 }, spec: { eggs: 9 } }, merge),
  put(`${nests}/one/status`, nest('one', {}, { resourceVersion: '1' })),
  post(`${nests}/one/status`, {}),
  remove(`${nests}/one/status`),
  patch(`${nests}/one/scale`, { spec: { replicas: 4 } }, merge),
  patch(`${nests}/one/scale`, { spec: { replicas: 44 } }, merge),
  put(`${nests}/one/scale`, scale('one', 3)),
  put(`${nests}/one/scale`, scale('one', 3, { resourceVersion: '1' })),
  put(`${nests}/one/scale`, scale('two', 3)),
  get(`${nests}/nope/scale`),
  patch(`${nests}/nope/scale`, { spec: { replicas: 4 } }, merge),
  patch(`${nests}/one/scale`, { spec: { replicas: 4 } }, strategic),
  patch(`${nests}/one`, { status: { phase: 'Hatched' }, spec: { paused: true } }, merge),
  // kinds of Kubernetes itself
  post(maps, { metadata: { name: 'm' }, data: { a: '1' } }),
  put(`${maps}/m`, { metadata: { name: 'm' }, data: { a: '2' } }),
  patch(`${maps}/m`, { metadata: { finalizers: ['a.b/x', 'a.b/y'] } }, strategic),
  patch(`${maps}/m`, { metadata: { finalizers: ['a.b/z', 'a.b/x'] } }, strategic),
  patch(
    `${maps}/m`,
    { metadata: { '$setElementOrder/finalizers': ['a.b/y', 'a.b/x'], '$deleteFromPrimitiveList/finalizers': ['a.b/z'] } },
    strategic,
  ),
  patch(`${maps}/m`, { metadata: { finalizers: null }, data: { $patch: 'replace', b: '2' } }, strategic),
  patch(`${maps}/m?fieldValidation=Strict`, { date: {} }, merge),
  remove(`${maps}/m`),
  // paths
  get('/api'),
  get('/api/v2'),
  get('/api/v1/things'),
  get('/apis/demo.aviary.dev'),
  get(group),
  get(`${nests}/A_B`),
  get('/healthz'),
  get('/livez'),
  get('/readyz/ping'),
  { method: 'POST', path: '/version', body: {} },
  remove(nests),
]
