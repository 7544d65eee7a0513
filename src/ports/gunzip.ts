import { Readable, pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Unreachable } from './errors.ts'
import { Failure } from './failure.ts'
import { codeOf } from './why-it-failed.ts'

/** Unpacks a body while it arrives, no faster than it is read. Ending the iteration early ends the source's. */
export function gunzip(chunks: AsyncIterable<Uint8Array>, target: string): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const unpacked = createGunzip()
      // Errors of either side reach the reader through `unpacked`.
      pipeline(Readable.from(chunks), unpacked, () => {})
      const source: AsyncIterator<Uint8Array, undefined> = unpacked[Symbol.asyncIterator]()
      return {
        async next() {
          try {
            return await source.next()
          } catch (error) {
            throw isDamage(error) ? Unreachable({ target, why: 'the compressed body is damaged or cut short', sent: true }) : error
          }
        },
        async return() {
          unpacked.destroy()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

function isDamage(error: unknown): boolean {
  return !(error instanceof Failure) && codeOf(error)?.startsWith('Z_') === true
}
