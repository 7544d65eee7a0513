import { createHash } from 'node:crypto'
import type { Registry, Served } from '../served.ts'
import { kindPaths } from './paths.ts'
import { commonSchemas, kindSchemas, scaleSchemas } from './schemas.ts'

/** The OpenAPI v3 documents: one for each group and version, made when first asked for and then kept as text. */
export interface OpenApi {
  /** The list of documents, each with the hash of its content, so that clients can keep them. */
  index(): string
  /** The document of `api/v1` or `apis/GROUP/VERSION`; undefined if there is none. */
  document(path: string): { readonly text: string; readonly hash: string } | undefined
}

/** Makes the documents of what is served. */
export function openApi(registry: Registry, version: string): OpenApi {
  const groups = Map.groupBy(registry.all, ({ kind }) => (kind.group === '' ? `api/${kind.version}` : `apis/${kind.apiVersion}`))
  const made = new Map<string, { readonly text: string; readonly hash: string }>()

  const document = (path: string) => {
    const served = groups.get(path)
    if (served === undefined) return undefined
    let one = made.get(path)
    if (one === undefined) {
      const text = JSON.stringify(documentOf(served, version))
      made.set(path, (one = { text, hash: createHash('sha256').update(text).digest('hex').toUpperCase() }))
    }
    return one
  }

  return {
    document,
    index: () => {
      const entry = (path: string) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${document(path)!.hash}` }]
      return JSON.stringify({ paths: Object.fromEntries([...groups.keys()].map(entry)) })
    },
  }
}

function documentOf(served: readonly Served[], version: string): object {
  const scaled = served.some(({ subresources }) => subresources.includes('scale'))
  const schemas = [commonSchemas(), ...served.map(({ kind }) => kindSchemas(kind)), ...(scaled ? [scaleSchemas()] : [])]
  return {
    openapi: '3.0.0',
    info: { title: 'Aviary', version },
    paths: Object.assign({}, ...served.map(kindPaths)) as object,
    components: { schemas: Object.assign({}, ...schemas) as object },
  }
}
