import { createHash } from 'node:crypto'
import { crd } from '../../../kinds/index.ts'
import type { CustomResourceDefinition, Draft, Kind } from '../../../kinds/index.ts'

/** The version of Aviary that wrote a CRD last. */
const versionAnnotation = 'aviary.dev/version'
/** What it wrote, so that the same is not written again, whatever the server has filled in since. */
const hashAnnotation = 'aviary.dev/crd-hash'

export type CrdPlan =
  | { readonly action: 'create' | 'update'; readonly draft: Draft<CustomResourceDefinition> }
  | { readonly action: 'keep' }
  | { readonly action: 'refuse'; readonly why: string; readonly cause: 'newer' | 'foreign' }

export interface CrdPlanOptions {
  /** The version of this program. */
  readonly version: string
  /** Take over CRDs that something else installed. */
  readonly adopt: boolean
}

/** What to do about the CRD of one kind, given the one on the server. */
export function crdPlan(kind: Kind, there: CustomResourceDefinition | undefined, { version, adopt }: CrdPlanOptions): CrdPlan {
  const wanted = crd(kind)
  const hash = createHash('sha256').update(JSON.stringify(wanted.spec)).digest('hex').slice(0, 32)
  const marks = { [versionAnnotation]: version, [hashAnnotation]: hash }
  if (there === undefined) return { action: 'create', draft: { ...wanted, metadata: { ...wanted.metadata, annotations: marks } } }

  const { annotations = {} } = there.metadata
  const theirs = annotations[versionAnnotation]
  if (theirs === undefined && !adopt) return { action: 'refuse', cause: 'foreign', why: 'was not installed by Aviary' }
  if (annotations[hashAnnotation] === hash) return { action: 'keep' }
  if (theirs !== undefined && compareVersions(theirs, version) > 0) {
    return { action: 'refuse', cause: 'newer', why: `is of Aviary ${theirs}, this is ${version}` }
  }
  return {
    action: 'update',
    draft: { ...there, metadata: { ...there.metadata, annotations: { ...annotations, ...marks } }, spec: wanted.spec },
  }
}

/** Orders `1.10.0` after `1.9.3`, and `1.10.0-beta` before `1.10.0`. */
export function compareVersions(a: string, b: string): number {
  const [coreA = '', preA] = a.split('-', 2)
  const [coreB = '', preB] = b.split('-', 2)
  const byCore = coreA.localeCompare(coreB, 'en', { numeric: true })
  if (byCore !== 0 || preA === preB) return byCore
  if (preA === undefined || preB === undefined) return preA === undefined ? 1 : -1
  return preA.localeCompare(preB, 'en', { numeric: true })
}
