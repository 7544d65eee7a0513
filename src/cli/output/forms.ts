/** The forms in which objects are printed. */
export const outputForms = ['table', 'wide', 'json', 'yaml', 'name'] as const

/** One of `outputForms`. */
export type OutputForm = (typeof outputForms)[number]
