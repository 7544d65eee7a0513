import type { XmlElement } from '../element.ts'

/** An element and everything in it as plain data, to compare. */
export interface PlainTree {
  readonly name: string
  readonly type: string | undefined
  readonly of: string | undefined
  readonly text: string
  readonly children: readonly PlainTree[]
}

/** Everything that an element says. */
export function plainTree({ name, type, of, text, children }: XmlElement): PlainTree {
  return { name, type, of, text, children: children.map(plainTree) }
}
