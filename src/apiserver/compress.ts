import { pipeline } from 'node:stream'
import { promisify } from 'node:util'
import { constants, createGzip, gzip } from 'node:zlib'
import { type Answer, type Call, header } from './call.ts'

const gzipBytes = promisify(gzip)
/** Below this, packing costs more than it saves; the real server draws the line at the same size. */
const worthwhile = 128 * 1024
/** The speed that suits a fast network. */
const level = constants.Z_BEST_SPEED

/** Packs a large answer, off the main thread, for a client that can unpack it. */
export async function compressed(call: Call, answer: Answer): Promise<Answer> {
  const { body, live = false } = answer
  const whole = typeof body === 'string' || body instanceof Uint8Array
  if (live || (whole && body.length < worthwhile) || !unpacks(header(call, 'accept-encoding') ?? '')) return answer
  const headers = { ...answer.headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' }
  return { ...answer, headers, body: whole ? await gzipBytes(body, { level }) : packed(body) }
}

/** Whether an `Accept-Encoding` names gzip, and not to refuse it. */
function unpacks(accepted: string): boolean {
  return accepted.split(',').some(coding => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(coding))
}

function packed(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const packer = createGzip({ level })
  // Whatever ends one of them ends the other; who reads the packer hears of it.
  pipeline(pieces, packer, () => {})
  return packer as AsyncIterable<Uint8Array>
}
