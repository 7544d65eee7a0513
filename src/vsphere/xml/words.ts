import type { Tape } from './tape.ts'
import { plainText } from './text.ts'

/** How many words are remembered, a power of two. vCenter's answers use a few hundred. */
const room = 4096

/** Longer ones are no words, and would fill the memory with what occurs once. */
const longest = 100

const known: (string | undefined)[] = Array.from({ length: room }, () => undefined)

/**
 * The word that stands in a document from `begin` to before `end`. Names of elements, types and properties occur again and again:
 * each is made once and then recognised in place, which costs half of making it each time. What is remembered changes no answer,
 * only how long it takes.
 */
export function wordAt(tape: Tape, begin: number, end: number): string {
  const { bytes } = tape
  const length = end - begin
  if (length > longest) return plainText(tape, begin, end)
  let mixed = 0
  for (let at = begin; at < end; at++) mixed = (mixed * 31 + (bytes[at] as number)) | 0
  const slot = mixed & (room - 1)
  const word = known[slot]
  if (word !== undefined && isAt(bytes, begin, length, word)) return word
  return (known[slot] = internal(plainText(tape, begin, end)))
}

/** Whether the word stands there. A letter beyond ASCII is several bytes and never found; whoever asks makes the word anew. */
function isAt(bytes: Uint8Array, begin: number, length: number, word: string): boolean {
  if (word.length !== length) return false
  for (let index = 0; index < length; index++) {
    const byte = bytes[begin + index] as number
    if (byte > 127 || byte !== word.charCodeAt(index)) return false
  }
  return true
}

/** As the key of an object a text becomes the very text that our own code has, and comparing the two takes no look at their letters. */
function internal(text: string): string {
  return Object.keys({ [text]: 0 })[0] as string
}
