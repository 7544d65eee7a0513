import type { Kind, ObjectMeta, Resource } from '../../kinds/index.ts'
import { ResponseTooLarge } from '../../ports/index.ts'
import { StoreError } from '../errors.ts'
import type { ListOptions, Page } from '../store.ts'
import { Stored } from '../stored.ts'
import { answerJson } from './answer-json.ts'
import type { ApiConnection } from './api-connection.ts'
import { received } from './received.ts'
import { checkRevision, collectionPath, selectionQuery } from './resource-path.ts'

interface ListAnswer {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string; readonly remainingItemCount?: number }
  readonly items?: readonly { readonly metadata: ObjectMeta }[] | null
}

/** One page of a list, as large as asked. */
export async function listPage<R extends Resource>(connection: ApiConnection, kind: Kind<R>, options: ListOptions): Promise<Page<R>> {
  const { limit, continue: token, resourceVersion, exactRevision = false, signal } = options
  const first = token === undefined
  checkRevision(resourceVersion)
  const answer = await connection.send({
    method: 'GET',
    kind,
    path: collectionPath(kind, options.namespace),
    query: {
      ...selectionQuery(options),
      limit,
      continue: token,
      // A token knows its revision; to name one beside it is an error.
      ...(first && resourceVersion ? { resourceVersion, resourceVersionMatch: exactRevision ? 'Exact' : 'NotOlderThan' } : {}),
    },
    timeout: 60_000,
    signal,
  })
  const { metadata = {}, items } = answerJson(kind, answer) as ListAnswer
  if (metadata.resourceVersion === undefined || items === undefined) {
    throw new StoreError('InternalError', `the answer about ${kind.plural} is no list`, { group: kind.group, kind: kind.plural })
  }
  return {
    items: items?.map(item => Stored.fromObject(received(kind, item))) ?? [],
    resourceVersion: metadata.resourceVersion,
    continue: metadata.continue || undefined,
    remaining: metadata.remainingItemCount,
  }
}

/**
 * A list, page by page: all of one moment, because each page continues the one before. Small pages keep both the server and
 * this program from stopping for long at one request.
 */
export async function* listPages<R extends Resource>(
  connection: ApiConnection,
  kind: Kind<R>,
  options: ListOptions,
  pageSize: number,
): AsyncGenerator<Page<R>, void> {
  let limit = pageSize
  let token: string | undefined
  for (;;) {
    let page: Page<R>
    try {
      page = await listPage(connection, kind, { ...options, limit, ...(token === undefined ? {} : { continue: token }) })
    } catch (error) {
      if (!(error instanceof StoreError && ResponseTooLarge.is(error.cause)) || limit === 1) throw error
      limit = Math.ceil(limit / 4)
      continue
    }
    yield page
    if (page.continue === undefined) return
    token = page.continue
  }
}

/** A whole list as one page. */
export async function listAll<R extends Resource>(
  connection: ApiConnection,
  kind: Kind<R>,
  options: ListOptions,
  pageSize: number,
): Promise<Page<R>> {
  const items: Stored<R>[] = []
  let resourceVersion = ''
  for await (const page of listPages(connection, kind, options, pageSize)) {
    items.push(...page.items)
    resourceVersion = page.resourceVersion
  }
  return { items, resourceVersion, continue: undefined, remaining: undefined }
}
