const slash = 47
const colon = 58
const greaterThan = 62

/** What a byte is in a name: 0 ends it, 1 belongs to it, 2 is the colon behind a prefix. */
export const nameBytes: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  // Everything beyond ASCII: what ends a name is what matters here.
  byte === colon ? 2 : byte > 127 || /[\w.-]/.test(String.fromCharCode(byte)) ? 1 : 0,
)

/** Where a name ends that begins there. */
export function nameEnd(bytes: Uint8Array, begin: number): number {
  let at = begin
  while (at < bytes.length && nameBytes[bytes[at] as number] !== 0) at++
  return at
}

/** Where white space ends that begins there. */
export function spaceEnd(bytes: Uint8Array, begin: number): number {
  let at = begin
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte > 32 || (byte !== 32 && byte !== 10 && byte !== 9 && byte !== 13)) break
  }
  return at
}

/** Whether the same bytes stand in two places. */
export function isSame(bytes: Uint8Array, one: number, other: number, length: number): boolean {
  for (let index = 0; index < length; index++) if (bytes[one + index] !== bytes[other + index]) return false
  return true
}

/** Where comments, instructions and sections of plain characters end, and what they hold is found. */
const markup = [
  { opening: Buffer.from('<!--'), closing: Buffer.from('-->'), isText: false },
  { opening: Buffer.from('<?'), closing: Buffer.from('?>'), isText: false },
  { opening: Buffer.from('<![CDATA['), closing: Buffer.from(']]>'), isText: true },
] as const

/** Something between `<` and `>` that is no element. */
export interface Markup {
  /** Whether what is inside is text as it stands. */
  readonly isText: boolean
  readonly inside: number
  /** Where what is inside ends; below zero if it does not. */
  readonly insideEnd: number
  readonly end: number
}

/** The comment, instruction or section of plain characters that begins there; undefined if it is none of them. */
export function markupAt(bytes: Buffer, begin: number): Markup | undefined {
  for (const { opening, closing, isText } of markup) {
    if (bytes.compare(opening, 0, opening.length, begin, Math.min(begin + opening.length, bytes.length)) !== 0) continue
    const inside = begin + opening.length
    const insideEnd = bytes.indexOf(closing, inside)
    return { isText, inside, insideEnd, end: insideEnd + closing.length }
  }
  return undefined
}

/** Tells where the values of the attributes `type` begin and end, the ones with a prefix or the one without; of several the last. */
export function typeAttribute(
  bytes: Uint8Array,
  tagNameEnds: number,
  hasPrefix: boolean,
): readonly [begin: number, end: number] | undefined {
  let found: [number, number] | undefined
  for (let at = tagNameEnds; ;) {
    const from = spaceEnd(bytes, at)
    if (from >= bytes.length || bytes[from] === greaterThan || bytes[from] === slash) return found
    const nameEnds = nameEnd(bytes, from)
    const mark = spaceEnd(bytes, spaceEnd(bytes, nameEnds) + 1)
    const end = bytes.indexOf(bytes[mark] as number, mark + 1)
    if (endsWithType(bytes, nameEnds) && (hasPrefix ? bytes[nameEnds - 5] === colon : nameEnds - from === 4)) found = [mark + 1, end]
    at = end + 1
  }
}

function endsWithType(bytes: Uint8Array, end: number): boolean {
  return bytes[end - 1] === 101 && bytes[end - 2] === 112 && bytes[end - 3] === 121 && bytes[end - 4] === 116
}
