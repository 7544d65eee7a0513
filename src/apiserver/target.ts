import { badRequest } from './errors.ts'

/** A path below `/api` or `/apis` that is about objects. */
export interface ResourceTarget {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly subresource: string | undefined
  /** There are more segments than any resource has. */
  readonly tooDeep: boolean
}

/** Where a request goes. */
export interface Target {
  /** Decoded, as it was sent otherwise. */
  readonly path: string
  readonly segments: readonly string[]
  /** Undefined for discovery, health and everything else that is not about objects. */
  readonly resource: ResourceTarget | undefined
}

/**
 * Reads a path. Segments are decoded once, each by itself, so that an encoded slash stays part of a name and is then refused:
 * what was authorised and what is served can never be two different things.
 */
export function readTarget(rawPath: string): Target {
  const segments = trimmed(rawPath).map(decodeSegment)
  for (const segment of segments) refuseTricks(segment)
  return { path: `/${segments.join('/')}`, segments, resource: resourceOf(segments) }
}

function trimmed(rawPath: string): readonly string[] {
  const segments = rawPath.split('/')
  let start = 0
  let end = segments.length
  while (start < end && segments[start] === '') start++
  while (end > start && segments[end - 1] === '') end--
  return segments.slice(start, end)
}

function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    throw badRequest(`the path segment ${JSON.stringify(segment)} is not encoded correctly`)
  }
}

function refuseTricks(segment: string): void {
  if (segment === '.' || segment === '..') throw badRequest(`Name parameter invalid: "${segment}": may not be '${segment}'`)
  const bad = ['/', '%'].find(character => segment.includes(character))
  if (bad !== undefined) throw badRequest(`Name parameter invalid: ${JSON.stringify(segment)}: may not contain '${bad}'`)
}

function resourceOf(segments: readonly string[]): ResourceTarget | undefined {
  const prefix = segments[0] === 'api' ? 2 : segments[0] === 'apis' ? 3 : undefined
  if (prefix === undefined || segments.length <= prefix) return undefined
  const group = prefix === 2 ? '' : segments[1]!
  const version = segments[prefix - 1]!
  // Not the core group, whose paths begin with /api: there would be two ways to one object, and rules that know of one.
  if ((prefix === 3 && group === '') || version === '') return undefined
  return { group, version, ...placeOf(segments.slice(prefix)) }
}

/** The subresources of a namespace itself; anything else behind its name is a kind of object in it. */
const namespaceSubresources = new Set(['status', 'finalize'])

function placeOf(parts: readonly string[]): Omit<ResourceTarget, 'group' | 'version'> {
  const inNamespace = parts[0] === 'namespaces' && parts.length > 2 && !namespaceSubresources.has(parts[2]!)
  const [plural, name, subresource, ...rest] = inNamespace ? parts.slice(2) : parts
  // A namespace is, for those who decide about access, in itself.
  const namespace = inNamespace || plural === 'namespaces' ? parts[1] : undefined
  return { plural: plural!, namespace, name, subresource, tooDeep: rest.length > 0 }
}
