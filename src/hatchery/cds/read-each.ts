import type { Log } from '../../ports/index.ts'
import { CdsAnswerNotUnderstood } from './errors.ts'

/** Reads a list item by item: one that makes no sense is left out and said aloud, and does not spoil the others. */
export function readEach<T>(answer: unknown, read: (item: unknown) => T | undefined, call: string, log: Log): readonly T[] {
  if (answer === undefined) return []
  if (!Array.isArray(answer)) throw CdsAnswerNotUnderstood({ call, why: 'it is not a list' })
  const items = answer.map(read)
  const odd = items.filter(each => each === undefined).length
  if (odd > 0) log.warn('CDS listed something without a name or number', { call, left_out: odd })
  return items.filter(each => each !== undefined)
}
