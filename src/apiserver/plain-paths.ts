import { type Answer, header, jsonAnswer } from './call.ts'
import type { Discovery } from './discovery.ts'
import { methodNotAllowed, noSuchResource } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { asksForHealth, healthAnswer, type HealthCheck } from './health.ts'
import type { OpenApi } from './openapi/openapi.ts'
import { versionDocument } from './version.ts'
import { answer, viewOf } from './view.ts'

/** What is served besides objects. */
export interface PlainRoom {
  readonly discovery: Discovery
  readonly openApi: OpenApi
  readonly version: string
  readonly checks: readonly HealthCheck[]
}

/** Answers a request that is not about objects: what is there, in which version, in which shape, and how it is doing. */
export async function plainAnswer(exchange: Exchange, room: PlainRoom): Promise<Answer> {
  const { target, verb, query } = exchange
  const { segments } = target
  // Kubernetes answers so before it looks at the method; a group or version without a name is none.
  if (segments.includes('')) throw noSuchResource()
  if (verb !== 'get' && verb !== 'head') throw methodNotAllowed(verb)
  if (asksForHealth(segments)) return healthAnswer(segments, query, room.checks)
  if (segments[0] === 'openapi') return openApiAnswer(exchange, segments.slice(1), room.openApi)
  const document = documentAt(segments, room)
  if (document === undefined) throw noSuchResource()
  return answer(viewOf(exchange.call, query), document)
}

function documentAt(segments: readonly string[], { discovery, version }: PlainRoom): object | undefined {
  if (segments.length === 0) return { paths: pathsOf(discovery) }
  return segments.join('/') === 'version' ? versionDocument(version) : discovery.document(segments)
}

function pathsOf({ groupVersions }: Discovery): readonly string[] {
  const groups = groupVersions.map(one => (one.includes('/') ? `/apis/${one}` : `/api/${one}`))
  return ['/api', '/apis', '/healthz', '/livez', '/openapi/v3', '/readyz', '/version', ...groups].toSorted()
}

/** The documents of version 3; of version 2 an empty one, with which kubectl goes on where it would give up without any. */
function openApiAnswer(exchange: Exchange, [version, ...path]: readonly string[], openApi: OpenApi): Answer {
  if (version === 'v2' && path.length === 0) return emptyVersion2(header(exchange.call, 'accept') ?? '')
  if (version !== 'v3') throw noSuchResource()
  if (path.length === 0) return { status: 200, headers: { 'content-type': 'application/json' }, body: openApi.index() }
  const document = openApi.document(path.join('/'))
  if (document === undefined) throw noSuchResource()
  // A client that names the hash asks for exactly this content and may keep it for good.
  const kept = exchange.query.get('hash') === document.hash ? { 'cache-control': 'public, immutable, max-age=31536000' } : {}
  return { ...jsonAnswer(200, null, { etag: `"${document.hash}"`, vary: 'Accept', ...kept }), body: document.text }
}

function emptyVersion2(accept: string): Answer {
  if (!accept.includes('protobuf')) return jsonAnswer(200, { swagger: '2.0', info: { title: 'Aviary', version: '' }, paths: {} })
  // With dots where the request has an at sign: clients written in Go cannot read their own type back.
  const type = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
  // Field 1, `swagger`, with the text "2.0".
  return { status: 200, headers: { 'content-type': type }, body: Buffer.from([0x0a, 0x03, 0x32, 0x2e, 0x30]) }
}
