import type { FieldProblem, Kind } from '../kinds/index.ts'
import { type ListOptions, parseFieldSelector, parseLabelSelector, type Selection, type WatchOptions } from '../store/index.ts'
import { badRequest, forbiddenField, invalidOptions, notSupported } from './errors.ts'
import { isTrue } from './verb.ts'

/** How a list was asked for. */
export type ListQuery = Omit<ListOptions, 'signal' | 'namespace'>

/** How a watch was asked for. */
export interface WatchQuery extends Omit<WatchOptions, 'signal' | 'namespace'> {
  /** Undefined: as long as the server likes. */
  readonly timeoutSeconds: number | undefined
  /** The client waits for the bookmark that ends the initial events. */
  readonly announcesInitialEnd: boolean
}

/** Reads the parameters of a list. Throws BadRequest or Invalid, in Kubernetes' words. */
export function readListQuery(query: URLSearchParams, kind: Kind): ListQuery {
  const limit = readInteger(query, 'limit')
  readInteger(query, 'timeoutSeconds')
  const selection = readSelection(query, kind)
  const resourceVersion = query.get('resourceVersion') ?? ''
  const token = query.get('continue') ?? ''
  const match = query.get('resourceVersionMatch') ?? ''
  const problems = listProblems(resourceVersion, match, token, query.has('sendInitialEvents'))
  if (problems.length > 0) throw invalidOptions('ListOptions', problems)
  if (token !== '' && resourceVersion !== '' && resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue')
  }
  refuseBadRevision(resourceVersion)
  const bounded = limit !== undefined && limit > 0
  // Before there was resourceVersionMatch, a limit made the revision an exact one; clients still rely on it.
  const exact = match === 'Exact' || (match === '' && bounded)
  return {
    ...selection,
    ...(bounded ? { limit } : {}),
    ...(token === '' ? {} : { continue: token }),
    ...(resourceVersion === '' || resourceVersion === '0' ? {} : { resourceVersion, exactRevision: exact }),
  }
}

/** Reads the parameters of a watch. Throws BadRequest or Invalid, in Kubernetes' words. */
export function readWatchQuery(query: URLSearchParams, kind: Kind): WatchQuery {
  const timeoutSeconds = readInteger(query, 'timeoutSeconds')
  readInteger(query, 'limit')
  const selection = readSelection(query, kind)
  const resourceVersion = query.get('resourceVersion') ?? ''
  const problems = watchProblems(query)
  if (problems.length > 0) throw invalidOptions('ListOptions', problems)
  refuseBadRevision(resourceVersion)
  const bookmarks = isTrue(query.get('allowWatchBookmarks'))
  const unset = resourceVersion === '' || resourceVersion === '0'
  // Without a revision to go on from, a watch begins with all there is; that is older than sendInitialEvents and the same.
  const initialEvents = query.has('sendInitialEvents') ? isTrue(query.get('sendInitialEvents')) : unset
  return {
    ...selection,
    ...(unset ? {} : { resourceVersion }),
    initialEvents,
    bookmarks,
    announcesInitialEnd: initialEvents && bookmarks,
    timeoutSeconds: timeoutSeconds !== undefined && timeoutSeconds > 0 ? timeoutSeconds : undefined,
  }
}

/** Reads the selectors. They are checked here, so that a bad one is an answer of its own and not the end of a stream. */
function readSelection(query: URLSearchParams, kind: Kind): Selection {
  const labelSelector = query.get('labelSelector') ?? ''
  const fieldSelector = query.get('fieldSelector') ?? ''
  if (labelSelector !== '') parseLabelSelector(labelSelector)
  if (fieldSelector !== '') parseFieldSelector(fieldSelector, kind)
  return { ...(labelSelector === '' ? {} : { labelSelector }), ...(fieldSelector === '' ? {} : { fieldSelector }) }
}

/** A whole number among the parameters; undefined if it is not given. */
export function readInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`)
  return value
}

/** Revisions are opaque to clients, but not so opaque that anything goes. */
export function refuseBadRevision(resourceVersion: string): void {
  if (/^\d*$/.test(resourceVersion)) return
  const why = `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`
  throw badRequest(`invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(resourceVersion)}: ${why}`)
}

const matchField = 'resourceVersionMatch'

function listProblems(revision: string, match: string, token: string, initialEvents: boolean): readonly FieldProblem[] {
  const problems: FieldProblem[] = []
  if (match !== '') {
    if (revision === '') problems.push(forbiddenField(matchField, `${matchField} is forbidden unless resourceVersion is provided`))
    if (token !== '') problems.push(forbiddenField(matchField, `${matchField} is forbidden when continue is provided`))
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      problems.push(notSupported(matchField, JSON.stringify(match), ['Exact', 'NotOlderThan', '']))
    }
    if (match === 'Exact' && revision === '0') {
      problems.push(forbiddenField(matchField, `${matchField} "exact" is forbidden for resourceVersion "0"`))
    }
  }
  if (initialEvents) problems.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  return problems
}

function watchProblems(query: URLSearchParams): readonly FieldProblem[] {
  const problems: FieldProblem[] = []
  const match = query.get(matchField) ?? ''
  const initialEvents = query.has('sendInitialEvents')
  if (initialEvents && match !== 'NotOlderThan') {
    problems.push(forbiddenField(matchField, `sendInitialEvents requires setting ${matchField} to NotOlderThan`))
  }
  if (match !== '') {
    if (!initialEvents) {
      problems.push(forbiddenField(matchField, `${matchField} is forbidden for watch unless sendInitialEvents is provided`))
    }
    if (match !== 'NotOlderThan') problems.push(notSupported(matchField, JSON.stringify(match), ['NotOlderThan']))
    if ((query.get('continue') ?? '') !== '') {
      problems.push(forbiddenField(matchField, `${matchField} is forbidden when continue is provided`))
    }
  }
  return problems
}
