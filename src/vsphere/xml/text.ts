import { entityAt } from './entities.ts'
import { markupAt } from './scan.ts'
import type { Tape } from './tape.ts'

const ampersand = 38
const lessThan = 60

/** What stands in a document from `begin` to before `end`, letter by letter. It keeps nothing of the document alive. */
export function plainText({ bytes, isAscii }: Tape, begin: number, end: number): string {
  return begin === end ? '' : bytes.toString(isAscii ? 'latin1' : 'utf8', begin, end)
}

/** What stands there, with entities as what they stand for, comments left out and sections of plain characters as they are. */
export function decodedText({ bytes, isAscii }: Tape, begin: number, end: number): string {
  // What an entity stands for is never longer than the entity.
  const decoded = Buffer.allocUnsafe(end - begin)
  let length = 0
  let onlyAscii = isAscii
  for (let at = begin; at < end;) {
    const byte = bytes[at] as number
    if (byte === ampersand) {
      const entity = entityAt(bytes, at)
      const code = entity >> 4
      if (code < 128) decoded[length++] = code
      else {
        length += decoded.write(String.fromCodePoint(code), length)
        onlyAscii = false
      }
      at += entity & 15
    } else if (byte === lessThan) {
      const markup = markupAt(bytes, at)
      if (markup === undefined) break
      if (markup.isText) length += bytes.copy(decoded, length, markup.inside, markup.insideEnd)
      at = markup.end
    } else {
      decoded[length++] = byte
      at++
    }
  }
  return decoded.toString(onlyAscii ? 'latin1' : 'utf8', 0, length)
}
