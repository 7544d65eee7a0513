import { failure } from '../../../ports/index.ts'

/** One CRD that must not be touched, and why. */
export interface CrdRefusal {
  readonly crd: string
  readonly why: string
}

/** Some CRDs on the server are not ours to replace. None was changed. */
export const CrdsRefused = failure('CRDS_REFUSED', ({ refusals, fix }: { refusals: readonly CrdRefusal[]; fix: string }) => ({
  message: `nothing was installed: ${refusals.map(({ crd, why }) => `${crd} ${why}`).join('; ')}`,
  fix,
}))

/** The server took a CRD, but does not serve its kind. */
export const CrdNotServed = failure('CRD_NOT_SERVED', ({ crd, why, fix }: { crd: string; why: string; fix: string }) => ({
  message: `${crd} is not served: ${why}`,
  fix,
}))
