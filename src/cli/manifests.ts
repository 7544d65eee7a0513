import { resolve } from 'node:path'
import { FileNotFound } from '../ports/index.ts'
import { allKinds, decode, findKind, isAboutField, isPlainObject } from '../kinds/index.ts'
import type { Draft, Kind, Resource } from '../kinds/index.ts'
import { ManifestNotFound, ManifestNotValid } from './errors.ts'
import type { Io } from './io.ts'
import { kubectlYaml } from './kubectl-yaml.ts'

/** One object of a file. */
export interface Manifest {
  /** `nests.yaml, document 2` */
  readonly where: string
  readonly kind: Kind
  readonly draft: Draft<Resource>
  readonly name: string
}

/**
 * Reads the objects of files, in order. Throws `ManifestNotFound`, or `ManifestNotValid` for the first that cannot be one; nothing has
 * been sent then.
 */
export async function readManifests(files: readonly string[], io: Io): Promise<readonly Manifest[]> {
  const manifests: Manifest[] = []
  for (const file of files) {
    const text = file === '-' ? await io.input() : await readFile(file, io)
    manifests.push(...(await manifestsOf(text, file === '-' ? 'standard input' : file)))
  }
  if (manifests.length > 0) return manifests
  throw ManifestNotValid({
    where: files.join(', '),
    what: 'there is no object in it',
    fix: 'write at least one with apiVersion, kind and metadata.name',
  })
}

async function readFile(file: string, { files, folder }: Io): Promise<string> {
  try {
    return await files.read(resolve(folder, file))
  } catch (error) {
    throw FileNotFound.is(error) ? ManifestNotFound({ file }, { cause: error }) : error
  }
}

async function manifestsOf(text: string, file: string): Promise<readonly Manifest[]> {
  const { LineCounter, parseAllDocuments } = await import('yaml')
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, { ...kubectlYaml, lineCounter: lines })
  const manifests: Manifest[] = []
  for (const [index, document] of (Array.isArray(documents) ? documents : []).entries()) {
    const [problem] = document.errors
    if (problem !== undefined) {
      const { line, col } = lines.linePos(problem.pos[0])
      throw ManifestNotValid({
        where: `${file}:${line}:${col}`,
        what: problem.message.split('\n')[0] ?? 'not YAML',
        fix: 'correct the YAML at that place',
      })
    }
    const value: unknown = document.toJS()
    if (value === null || value === undefined) continue
    const { line } = lines.linePos(document.contents?.range?.[0] ?? 0)
    const where = documents.length > 1 ? `${file}:${line} (document ${index + 1})` : file
    const objects = isPlainObject(value) && value['kind'] === 'List' && Array.isArray(value['items']) ? value['items'] : [value]
    for (const object of objects) manifests.push(manifestOf(object, where))
  }
  return manifests
}

function manifestOf(object: unknown, where: string): Manifest {
  if (!isPlainObject(object)) throw ManifestNotValid({ where, what: 'it is no object', fix: 'begin with apiVersion and kind' })
  const { apiVersion, kind: kindName, metadata } = object
  if (typeof apiVersion !== 'string' || typeof kindName !== 'string')
    throw ManifestNotValid({
      where,
      what: 'apiVersion or kind is missing',
      fix: 'say both, for example apiVersion: demo.aviary.dev/v1alpha1 and kind: Nest',
    })
  const kind = findKind(allKinds, apiVersion, kindName)
  if (kind === undefined)
    throw ManifestNotValid({
      where,
      what: `there is no kind ${kindName} in ${apiVersion}`,
      fix: `use one of ${allKinds.map(each => `${each.apiVersion} ${each.name}`).join(', ')}`,
    })
  const name = isPlainObject(metadata) ? metadata['name'] : undefined
  if (typeof name !== 'string' || name === '')
    throw ManifestNotValid({ where, what: 'metadata.name is missing', fix: 'give the object a name' })
  refuseBadFields(kind, object, `${where}: ${kindName} ${name}`)
  return { where, kind, draft: object as unknown as Draft<Resource>, name }
}

/** The server checks again; but it checks one object after the other, when the first are written already. */
function refuseBadFields(kind: Kind, object: object, where: string): void {
  const { problems: found, unknownFields } = decode(kind, object)
  const [unknown] = unknownFields
  if (unknown !== undefined)
    throw ManifestNotValid({
      where,
      what: `unknown field "${unknown}"`,
      fix: `remove it, or correct its spelling (aviary crds shows the fields of ${kind.name})`,
    })
  if (found.length === 0) return
  const problems = found.filter(isAboutField)
  throw ManifestNotValid({
    where,
    what: problems.map(({ path, message }) => `${path}: ${message}`).join('; '),
    fix: problems.flatMap(({ fix }) => fix ?? []).join('; ') || 'correct these fields',
  })
}
