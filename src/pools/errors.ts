import { failure } from '../ports/index.ts'

/** A patch of an install-config does not fit the document. */
export const PatchNotApplicable = failure('POOLS_PATCH_NOT_APPLICABLE', ({ op, path, why }: { op: string; path: string; why: string }) => ({
  message: `the patch "${op} ${path}" cannot be applied to the install-config: ${why}`,
  fix: 'correct the patch in the inventory entry or the ClusterDeploymentCustomization',
}))

/** A hook did not do what it was asked for. */
export const HookFailed = failure('POOLS_HOOK_FAILED', ({ what, why }: { what: string; why: string }) => ({
  message: `the installer hook could not ${what}: ${why}`,
  fix: 'read the log of the attempt (aviary get clusterprovisions -A -o yaml), and try the hook by hand',
}))

/** A hook answered something that nobody understands. */
export const HookAnswerNotValid = failure('POOLS_HOOK_ANSWER_NOT_VALID', ({ what, why }: { what: string; why: string }) => ({
  message: `the answer of the installer hook to ${what} cannot be used: ${why}`,
  fix: 'docs/pools.md says what a hook answers',
}))
