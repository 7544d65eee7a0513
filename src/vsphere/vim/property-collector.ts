import { isFault, type Session } from '../soap/session.ts'
import { faultOf } from '../soap/soap-client.ts'
import { child, childText, childWord, isCalled, type XmlElement } from '../xml/element.ts'
import { reference, typed, type Ref, type XmlFields } from '../xml/writer.ts'

/** Which properties of which objects. */
export interface Selection {
  readonly type: string
  readonly paths: readonly string[]
  /** Where to begin. */
  readonly from: Ref
  /** The property of `from` that leads to the objects; without it `from` is the object. */
  readonly through?: string
}

/** Properties by their path; what was not sent or not readable is not in it. To be read, not stored: they hold the whole answer. */
export type Properties = ReadonlyMap<string, XmlElement>

/** One object of a listing. */
export interface Found {
  readonly ref: Ref
  readonly properties: Properties
  /** Why a property that was asked for could not be read, as vCenter says it. */
  readonly refused: XmlElement | undefined
}

/** What the collector says about one object. */
export interface ObjectUpdate {
  readonly filter: string
  readonly ref: Ref
  readonly kind: 'enter' | 'modify' | 'leave'
  /** By path; undefined where the property was removed. */
  readonly changes: ReadonlyMap<string, XmlElement | undefined>
}

/** What has changed since a version. */
export interface UpdateSet {
  readonly version: string
  /** There is more, to be asked for with `version` at once. */
  readonly truncated: boolean
  readonly updates: readonly ObjectUpdate[]
}

/** The specification of a filter or listing as vCenter wants it. */
export function filterSpec({ type, paths, from, through }: Selection): XmlFields {
  const selectSet = through === undefined ? undefined : typed('TraversalSpec', { type: from.type, path: through, skip: false })
  return {
    propSet: { type, all: false, pathSet: [...paths] },
    objectSet: { obj: reference(from), skip: through !== undefined, selectSet },
    reportMissingObjectsInResults: true,
  }
}

/** Reads properties once, page by page. */
export async function retrieve(session: Session, selection: Selection, signal?: AbortSignal): Promise<Found[]> {
  const collector = (await session.content(signal)).manager('propertyCollector')
  const found: Found[] = []
  const args = { specSet: filterSpec(selection), options: { maxObjects: 1000 } }
  let answer = await session.call('RetrievePropertiesEx', collector, args, { signal })
  for (;;) {
    const result = child(answer, 'returnval')
    if (result === undefined) return found
    for (const element of result.children) if (isCalled(element, 'objects')) found.push(foundObject(element))
    const token = childText(result, 'token')
    if (token === undefined) return found
    answer = await session.call('ContinueRetrievePropertiesEx', collector, { token }, { signal })
  }
}

/** Reads properties of one object once; undefined if it is not there. Rejects with `VimFault` if it is there, but none can be read. */
export async function retrieveOne(
  session: Session,
  ref: Ref,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<Properties | undefined> {
  const [found] = await retrieve(session, { type: ref.type, paths, from: ref }, signal)
  if (found === undefined || found.refused === undefined || found.properties.size > 0) return found?.properties
  const error = faultOf('RetrievePropertiesEx', found.refused)
  // It went away in the middle. Any other fault says nothing about whether it is there.
  if (isFault(error, 'ManagedObjectNotFound')) return undefined
  throw error
}

/** Reads the answer to WaitForUpdatesEx; undefined if nothing changed in time. */
export function updateSet(answer: XmlElement): UpdateSet | undefined {
  const set = child(answer, 'returnval')
  if (set === undefined) return undefined
  const updates: ObjectUpdate[] = []
  for (const filterUpdate of set.children) {
    if (!isCalled(filterUpdate, 'filterSet')) continue
    const filter = childText(filterUpdate, 'filter') ?? ''
    for (const element of filterUpdate.children) {
      if (isCalled(element, 'objectSet')) updates.push(objectUpdate(filter, element))
      // The object was in the filter and is no longer there at all.
      else if (isCalled(element, 'missingSet'))
        updates.push({ filter, ref: refOf(child(element, 'obj')), kind: 'leave', changes: new Map() })
    }
  }
  return { version: childText(set, 'version') ?? '', truncated: childText(set, 'truncated') === 'true', updates }
}

function objectUpdate(filter: string, element: XmlElement): ObjectUpdate {
  const kind = childWord(element, 'kind')
  const changes = new Map<string, XmlElement | undefined>()
  for (const part of element.children) {
    if (isCalled(part, 'changeSet')) {
      const path = childWord(part, 'name') ?? ''
      const op = childWord(part, 'op')
      changes.set(path, op === 'remove' || op === 'indirectRemove' ? undefined : child(part, 'val'))
    } else if (isCalled(part, 'missingSet')) {
      // Not readable (any more), for lack of a privilege or because it is being made.
      changes.set(childWord(part, 'path') ?? '', undefined)
    }
  }
  return { filter, ref: refOf(child(element, 'obj')), kind: kind === 'enter' || kind === 'leave' ? kind : 'modify', changes }
}

function foundObject(element: XmlElement): Found {
  const properties = new Map<string, XmlElement>()
  let refused: XmlElement | undefined
  for (const part of element.children) {
    if (isCalled(part, 'missingSet')) refused ??= child(part, 'fault')
    if (!isCalled(part, 'propSet')) continue
    const value = child(part, 'val')
    if (value !== undefined) properties.set(childWord(part, 'name') ?? '', value)
  }
  return { ref: refOf(child(element, 'obj')), properties, refused }
}

/** The object that an element refers to. */
export function refOf(element: XmlElement | undefined): Ref {
  return { type: element?.of ?? '', id: element?.text ?? '' }
}
