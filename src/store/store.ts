import type { Draft, Kind, Resource } from '../kinds/index.ts'
import type { Stored } from './stored.ts'

/** Which object of a kind. `namespace` is empty for kinds that have none. */
export interface Key {
  readonly namespace?: string
  readonly name: string
}

/** How strict to be about fields that the schema does not know: refuse, keep quiet but tell, or drop them silently. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore'

export interface WriteOptions {
  /** Go through every check and answer as if it had been done, but change nothing. */
  readonly dryRun?: boolean
  /** Default Strict. */
  readonly fieldValidation?: FieldValidation
  /** Told of each unknown field if `fieldValidation` is Warn. */
  readonly onWarning?: (warning: string) => void
  readonly signal?: AbortSignal
}

export interface UpdateOptions extends WriteOptions {
  /**
   * Without it everything but `status` is written; with `status` nothing but status. `finalize` (namespaces only) writes
   * `spec.finalizers` alone.
   */
  readonly subresource?: 'status' | 'finalize'
}

export interface DeleteOptions {
  /** Refuse with Conflict unless the object still is this one. */
  readonly uid?: string
  readonly resourceVersion?: string
  /** What becomes of the objects that name it as their owner. Default Background: removed after it. */
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan'
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
}

export interface Deletion<R extends Resource> {
  /** The object as it was at last: with a deletion timestamp if finalizers hold it. */
  readonly object: R
  /** False if finalizers still hold it. */
  readonly gone: boolean
}

export interface Selection {
  /** All namespaces if absent. */
  readonly namespace?: string
  /** Kubernetes' syntax: `app=web,tier in (a,b),!old`. */
  readonly labelSelector?: string
  /** Kubernetes' syntax: `metadata.name=x,status.phase!=Failed`; besides name and namespace what the kind declares. */
  readonly fieldSelector?: string
}

export interface ListOptions extends Selection {
  /** At most so many; the page then says how to go on. */
  readonly limit?: number
  /** What the page before said. All pages together show one moment, or the list ends with Expired. */
  readonly continue?: string
  /** With `exactRevision` the list as it was then; else any moment not before. */
  readonly resourceVersion?: string
  readonly exactRevision?: boolean
  readonly signal?: AbortSignal
}

export interface Page<R extends Resource> {
  /** Sorted by namespace and name. */
  readonly items: readonly Stored<R>[]
  /** The moment that the page shows; a watch from here misses nothing. */
  readonly resourceVersion: string
  /** Undefined on the last page. */
  readonly continue: string | undefined
  /** How many follow; undefined if that is not known. */
  readonly remaining: number | undefined
}

export interface WatchOptions extends Selection {
  /** Changes after this revision; absent: from now on. Ignored with `initialEvents`, but as a lower bound. */
  readonly resourceVersion?: string
  /** First an ADDED for each object there is, then a bookmark with `initialEventsEnd`, then changes. */
  readonly initialEvents?: boolean
  /** Bookmarks about once a minute, so that a quiet watch can be resumed long after. */
  readonly bookmarks?: boolean
  /** Ends the iteration, without an error. */
  readonly signal: AbortSignal
}

export type WatchEvent<R extends Resource> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly item: Stored<R> }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }

/**
 * Where objects live. One interface, several engines; `contract.ts` beside this file proves every sentence on each of them.
 *
 * What is acknowledged is durable. Each write gets a revision of its own, larger than all before. A write that is refused
 * changes nothing. Errors are `StoreError`s; what they mean is said in `errors.ts`.
 */
export interface Store {
  /** Rejects with NotFound. */
  get<R extends Resource>(kind: Kind<R>, key: Key): Promise<R>

  /** Objects of one kind at one moment. Rejects with BadRequest (selector, token) or Expired (the moment is gone). */
  list<R extends Resource>(kind: Kind<R>, options?: ListOptions): Promise<Page<R>>

  /**
   * Makes an object: fills in uid, creation time, generation 1, defaults, and a name if only `generateName` is given.
   * A status is dropped if the kind has the status subresource. Rejects with AlreadyExists, Invalid, BadRequest (unknown
   * fields), RequestEntityTooLarge, NotFound (the namespace) or Forbidden (the namespace is being deleted).
   */
  create<R extends Resource>(kind: Kind<R>, draft: Draft<R>, options?: WriteOptions): Promise<R>

  /**
   * Replaces an object if it still has `metadata.resourceVersion`, which must be given; Conflict otherwise.
   * uid, creation and deletion time stay what they are, whatever the caller says; another uid is a Conflict. Generation grows
   * if anything but metadata and status changed. Nothing changed: no new revision. The removal of the last finalizer of an
   * object that is being deleted removes it.
   */
  update<R extends Resource>(kind: Kind<R>, object: Draft<R>, options?: UpdateOptions): Promise<R>

  /** Removes an object, or marks it as being deleted while finalizers hold it. Rejects with NotFound or Conflict. */
  delete<R extends Resource>(kind: Kind<R>, key: Key, options?: DeleteOptions): Promise<Deletion<R>>

  /**
   * Changes of one kind in order, in the batches in which they happened. An object that comes to match the selection is ADDED,
   * one that no longer does is DELETED, with its last matching state's key. Iterating rejects with Expired if the revision is
   * no longer kept or the reader fell too far behind: list again. It ends without an error only when the signal is aborted or
   * the connection to a remote store ends; the caller goes on from the last revision it saw.
   */
  watch<R extends Resource>(kind: Kind<R>, options: WatchOptions): AsyncIterable<readonly WatchEvent<R>[]>

  /** Ends all watches and waits for writes under way. Later calls reject with ServiceUnavailable. */
  close(): Promise<void>
}
