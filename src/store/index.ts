export { conflict, qualified, statusOf, StoreError } from './errors.ts'
export type { StoreErrorDetails, StoreReason } from './errors.ts'
export { installCrds } from './kubernetes/crds/install-crds.ts'
export type { CrdReport, InstallCrdsOptions } from './kubernetes/crds/install-crds.ts'
export { kubeAccess } from './kubernetes/kubeconfig/kube-access.ts'
export type { KubeAccess, KubeAccessOptions } from './kubernetes/kubeconfig/kube-access.ts'
export { kubeHttp } from './kubernetes/kube-http.ts'
export { kubernetesStore } from './kubernetes/kubernetes-store.ts'
export type { KubernetesLimits, KubernetesStoreOptions } from './kubernetes/kubernetes-store.ts'
export { KindNotServed } from './kubernetes/status-error.ts'
export { memoryStore } from './memory-store.ts'
export { openSqliteStore } from './open-sqlite-store.ts'
export { compareRevisions } from './revision.ts'
export { fieldSelectorValue, parseFieldSelector } from './selectors/field-selector.ts'
export { parseLabelSelector } from './selectors/label-selector.ts'
export { BackupTargetNotBackup, FolderFileTaken } from './sqlite/errors.ts'
export { isBackup, isStoreFile, storeFiles } from './sqlite/files.ts'
export type { SqliteStoreOptions } from './sqlite/open.ts'
export type { SqliteStore, StoreStats } from './sqlite/store.ts'
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
export { undefinedIf } from './undefined-if.ts'
