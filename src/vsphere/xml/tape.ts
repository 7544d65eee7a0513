/**
 * A document that was read and found valid: its bytes as they came, and four numbers for each element, in the order of the start
 * tags. An object for each element would be dear: a listing has millions, and the garbage collector would carry them about.
 */
export interface Tape {
  /** UTF-8. */
  readonly bytes: Buffer
  /** Whether every character is one byte. */
  readonly isAscii: boolean
  readonly numbers: Int32Array
}

/** How many numbers an element has. */
export const stride = 4

/** The first number of an element: where its name begins, behind the prefix. */
export const nameBegins = 0

/** The second: where what it holds begins. */
export const textBegins = 1

/** The third: where its text ends, or the complement of that if the text does not stand there letter by letter; without text, as the second. */
export const textEnds = 2

/** The fourth: the place on the tape behind its last descendant, where its next sibling stands if it has one. */
export const behind = 3

/** A page of a listing fits; what a larger document took is given back. */
const kept = 2 * 1024 * 1024

let scratch: Int32Array<ArrayBuffer> = new Int32Array(4096)

/** Room for numbers, used by one document after another. */
export function scratchTape(): Int32Array<ArrayBuffer> {
  return scratch
}

/** Twice the room, with the same numbers. */
export function grown(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(numbers.length * 2)
  larger.set(numbers)
  if (larger.length <= kept) scratch = larger
  return larger
}
