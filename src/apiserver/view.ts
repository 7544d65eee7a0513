import type { Clock } from '../ports/index.ts'
import type { Kind, Resource } from '../kinds/index.ts'
import type { Page } from '../store/index.ts'
import { StoreError } from '../store/index.ts'
import { type Answer, type Call, header, jsonAnswer } from './call.ts'
import { badRequest } from './errors.ts'
import { type Acceptance, negotiate } from './negotiate.ts'
import { columnDefinitions, type IncludeObject, partialObject, tableRow } from './table.ts'

/** How the client wants to see objects. Decided before anything is done, so that a write never fails on its way back. */
export interface View extends Acceptance {
  readonly include: IncludeObject
  /** For people: several lines, indented. */
  readonly pretty: boolean
}

/** Reads how to answer. Throws NotAcceptable or BadRequest. */
export function viewOf(call: Call, query: URLSearchParams, purpose: 'answer' | 'watch' = 'answer'): View {
  const acceptance = negotiate(header(call, 'accept'), purpose)
  return { ...acceptance, include: acceptance.as === 'Table' ? includeOf(query) : 'None', pretty: isPretty(call, query) }
}

function includeOf(query: URLSearchParams): IncludeObject {
  const include = query.get('includeObject') ?? ''
  if (include === '') return 'Metadata'
  if (include === 'Metadata' || include === 'Object' || include === 'None') return include
  const rule = "must be 'Metadata', 'Object', 'None', or empty"
  throw badRequest(`Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: ${rule}`)
}

/** People who come with curl or a browser have no jq. */
function isPretty(call: Call, query: URLSearchParams): boolean {
  const asked = query.get('pretty')
  if (asked !== null) return asked !== 'false' && asked !== '0'
  return /^(curl|Wget|Mozilla)\//.test(header(call, 'user-agent') ?? '')
}

/** One object, as the client wants to see it. */
export async function objectAnswer(view: View, kind: Kind, object: Resource, clock: Clock, status = 200): Promise<Answer> {
  return answer(view, shownObject(view, kind, object, clock.now()), status)
}

function shownObject(view: View, kind: Kind, object: Resource, now: number): unknown {
  switch (view.as) {
    case 'itself':
      return object
    case 'Table':
      return table(view, kind, [object], { resourceVersion: object.metadata.resourceVersion }, now)
    case 'PartialObjectMetadata':
      return partialObject(object, view.version)
    case 'PartialObjectMetadataList':
      throw new StoreError('NotAcceptable', 'you requested PartialObjectMetadataList, but the requested object is not a list')
  }
}

/** A page of objects, as the client wants to see them. As they are, they are never parsed: their texts are strung together. */
export async function listAnswer(view: View, kind: Kind, page: Page<Resource>, clock: Clock): Promise<Answer> {
  const metadata = {
    resourceVersion: page.resourceVersion,
    ...(page.continue === undefined ? {} : { continue: page.continue }),
    ...(page.remaining === undefined || page.continue === undefined ? {} : { remainingItemCount: page.remaining }),
  }
  switch (view.as) {
    case 'itself': {
      const head = `{"apiVersion":${JSON.stringify(kind.apiVersion)},"kind":"${kind.name}List","metadata":${JSON.stringify(metadata)},"items":[`
      if (page.items.length > manyItems && !view.pretty && view.format === 'json') {
        return { status: 200, headers: jsonType, body: listPieces(head, page.items) }
      }
      const text = `${head}${page.items.map(item => item.json).join(',')}]}`
      return view.pretty || view.format === 'yaml' ? answer(view, JSON.parse(text)) : { status: 200, headers: jsonType, body: text }
    }
    case 'Table': {
      const objects = page.items.map(item => item.object)
      return answer(view, table(view, kind, objects, metadata, clock.now()))
    }
    case 'PartialObjectMetadataList': {
      const items = page.items.map(item => partialObject(item.object, view.version))
      return answer(view, { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${view.version}`, metadata, items })
    }
    case 'PartialObjectMetadata':
      throw new StoreError('NotAcceptable', 'you requested PartialObjectMetadata, but the requested object is a list')
  }
}

/** Longer lists are sent piece by piece: nobody else waits while they are put together, and they are never in memory as a whole. */
const manyItems = 500
const pieceCharacters = 512 * 1024

async function* listPieces(head: string, items: Page<Resource>['items']): AsyncGenerator<Uint8Array> {
  let texts: string[] = []
  let length = 0
  let separator = head
  for (const { json } of items) {
    texts.push(separator, json)
    separator = ','
    length += json.length
    if (length < pieceCharacters) continue
    yield Buffer.from(texts.join(''))
    texts = []
    length = 0
  }
  yield Buffer.from(`${texts.join('')}]}`)
}

const jsonType = { 'content-type': 'application/json' }

/** Rows of a table; without `headings` for all but the first event of a watch. */
export function table(view: View, kind: Kind, objects: readonly Resource[], metadata: object, now: number, headings = true): object {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${view.version}`,
    metadata,
    columnDefinitions: headings ? columnDefinitions(kind) : null,
    rows: objects.map(object => tableRow(kind, object, now, view.include, view.version)),
  }
}

/** Any value, in the format that was asked for. */
export async function answer(view: Pick<View, 'format' | 'pretty'>, value: unknown, status = 200): Promise<Answer> {
  if (view.format === 'yaml') {
    const { writeYaml } = await import('./yaml-text.ts')
    return { status, headers: { 'content-type': 'application/yaml' }, body: writeYaml(value) }
  }
  if (view.pretty) return { status, headers: jsonType, body: `${JSON.stringify(value, null, 2)}\n` }
  return jsonAnswer(status, value)
}
