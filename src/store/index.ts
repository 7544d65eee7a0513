export { alreadyExists, conflict, invalid, notFound, qualified, statusOf, StoreError } from './errors.ts'
export type { StoreErrorDetails, StoreReason } from './errors.ts'
export { compareRevisions } from './revision.ts'
export type {
  DeleteOptions,
  Deletion,
  FieldValidation,
  Key,
  ListOptions,
  Page,
  Selection,
  Store,
  UpdateOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './store.ts'
export { deepFreeze, Stored } from './stored.ts'
