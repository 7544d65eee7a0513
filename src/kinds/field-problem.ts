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
