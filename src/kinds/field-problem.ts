/** The reasons that Kubernetes gives for a refused field. */
export type FieldReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'

/** One thing that is wrong with an object. */
export interface FieldProblem {
  /** `spec.inventory.clusterDeployments[2].name` */
  readonly path: string
  readonly reason: FieldReason
  /** The rule that is broken, in Kubernetes' words: `Invalid value: -1: must be greater than or equal to 0`. */
  readonly message: string
  /** What to write instead. */
  readonly fix?: string
}

/** Kubernetes' path for a remark about no field: that some rules were not checked, because of the other problems. */
export const noField = '<nil>'

/** Whether a problem says what is wrong, or only remarks on the others. */
export function isAboutField({ path }: Pick<FieldProblem, 'path'>): boolean {
  return path !== noField
}
