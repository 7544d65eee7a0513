import { notAcceptable } from './errors.ts'

/** How the answer is written and in what shape: as it is, as rows of a table, or only its metadata. */
export interface Acceptance {
  readonly format: 'json' | 'yaml'
  readonly as: 'itself' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'
  /** The version of the shape that was asked for. */
  readonly version: 'v1' | 'v1beta1'
}

const itself: Acceptance = { format: 'json', as: 'itself', version: 'v1' }
const shapes = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'])
const offered = ['application/json', 'application/yaml']

/**
 * Chooses what to answer from an `Accept` header: the best of what the client takes and we have. Protobuf and shapes that are not
 * known are passed over, so that a client that also takes JSON gets JSON. Throws NotAcceptable.
 */
export function negotiate(accept: string | undefined, purpose: 'answer' | 'watch' = 'answer'): Acceptance {
  if (accept === undefined || accept === 'application/json' || accept === '') return itself
  const clauses = accept.split(',').map(readClause)
  const best = clauses.toSorted((a, b) => b.quality - a.quality)
  for (const clause of best) {
    const acceptance = acceptanceOf(clause, purpose)
    if (acceptance !== undefined) return acceptance
  }
  throw notAcceptable(purpose === 'watch' ? ['application/json;stream=watch'] : offered)
}

interface Clause {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly quality: number
}

function readClause(text: string): Clause {
  const [type = '', ...rest] = text.split(';').map(part => part.trim())
  const parameters = new Map(rest.map(part => part.split('=', 2) as [string, string]))
  const quality = Number(parameters.get('q') ?? 1)
  return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality }
}

function acceptanceOf({ type, parameters, quality }: Clause, purpose: 'answer' | 'watch'): Acceptance | undefined {
  const format = formatOf(type)
  if (format === undefined || quality <= 0 || (purpose === 'watch' && format === 'yaml')) return undefined
  const as = parameters.get('as')
  if (as === undefined) return format === 'json' ? itself : { ...itself, format }
  const version = parameters.get('v') ?? ''
  if (parameters.get('g') !== 'meta.k8s.io' || !shapes.has(as) || (version !== 'v1' && version !== 'v1beta1')) return undefined
  return { format, as: as as Acceptance['as'], version }
}

function formatOf(type: string): Acceptance['format'] | undefined {
  if (type === 'application/json' || type === 'application/*' || type === '*/*') return 'json'
  return type === 'application/yaml' ? 'yaml' : undefined
}
