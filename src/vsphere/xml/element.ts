/** An element as the reader gives it. Prefixes are gone; of the attributes only the two that vCenter's answers use are kept. */
export interface XmlElement {
  readonly name: string
  /** `xsi:type` without its prefix, whatever the prefix of the attribute was. */
  readonly type: string | undefined
  /** The attribute `type` without prefix: which kind of managed object a reference is to. */
  readonly of: string | undefined
  /** The text of an element without children; of others the empty text. */
  readonly text: string
  readonly children: readonly XmlElement[]
}

/** The first child of that name. */
export function child(element: XmlElement, name: string): XmlElement | undefined {
  for (const candidate of element.children) if (candidate.name === name) return candidate
  return undefined
}

/** All children of that name. */
export function children(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.filter(candidate => candidate.name === name)
}

/** The text of the first child of that name. */
export function childText(element: XmlElement, name: string): string | undefined {
  return child(element, name)?.text
}
