import type { Resource } from '../kinds/index.ts'

/** As Go reads a truth, and therefore annotations of this field say it. */
const yes = ['1', 't', 'T', 'true', 'True', 'TRUE']

/** Whether an annotation of an object says yes. */
export function saysYes({ metadata: { annotations = {} } }: Resource, name: string): boolean {
  return yes.includes(annotations[name] ?? '')
}
