import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { findKind, type Kind } from '../../../src/kinds/index.ts'

/** An object as somebody wrote it. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: object
}

/** The objects of these kinds in Hive's samples and in the YAML blocks of its pages, with the file that each is from. `folder` is that of its CRDs. */
export function hiveManifests(folder: string, kinds: readonly Kind[]): readonly (readonly [string, Manifest])[] {
  const samples = join(folder, '..', 'samples')
  const pages = join(folder, '..', 'docs')
  const texts = [
    ...readdirSync(samples).flatMap(name => (name.endsWith('.yaml') ? [[name, readFileSync(join(samples, name), 'utf8')] as const] : [])),
    ...readdirSync(pages).flatMap(name =>
      name.endsWith('.md')
        ? [...readFileSync(join(pages, name), 'utf8').matchAll(/```ya?ml\n([^]*?)```/g)].map(match => [name, match[1] ?? ''] as const)
        : [],
    ),
  ]
  return texts.flatMap(([name, text]) => {
    const documents = parseAllDocuments(text)
    return documents.flatMap(document => {
      const object = document.errors.length > 0 ? undefined : (document.toJS() as Manifest | null)
      return object?.kind !== undefined && findKind(kinds, object.apiVersion, object.kind) !== undefined ? [[name, object] as const] : []
    })
  })
}
