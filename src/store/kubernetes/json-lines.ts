import { StoreError } from '../errors.ts'

/** No object is larger than a few megabytes: what does not end by then is no line of a watch. */
const longestLine = 64 * 1024 * 1024
const newline = 10

/**
 * The whole lines of a stream, as many at a time as each piece completes. What follows the last newline waits for the next
 * piece; if the stream ends before it does, it is dropped, because half an event is none.
 */
export class JsonLines {
  #rest: Uint8Array[] = []
  #restSize = 0

  /** The lines that `piece` completes. */
  take(piece: Uint8Array): string[] {
    const end = piece.lastIndexOf(newline)
    if (end === -1) {
      this.#keep(piece)
      return []
    }
    const text = Buffer.concat([...this.#rest, piece.subarray(0, end)]).toString('utf8')
    this.#rest = []
    this.#restSize = 0
    if (end + 1 < piece.length) this.#keep(piece.subarray(end + 1))
    return text.split('\n').filter(line => line !== '')
  }

  #keep(piece: Uint8Array): void {
    this.#rest.push(piece)
    this.#restSize += piece.length
    if (this.#restSize > longestLine) throw new StoreError('InternalError', `the API server sent a line of more than ${longestLine} bytes`)
  }
}
