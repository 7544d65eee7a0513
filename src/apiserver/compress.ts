import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { type Answer, type Call, header } from './call.ts'

const gzipBytes = promisify(gzip)
/** Below this, packing costs more than it saves; the real server draws the line at the same size. */
const worthwhile = 128 * 1024

/** Packs a large answer for a client that can unpack it. Done off the main thread, at the speed that suits a fast network. */
export async function compressed(call: Call, answer: Answer): Promise<Answer> {
  const { body } = answer
  if (!(typeof body === 'string' || body instanceof Uint8Array) || body.length < worthwhile) return answer
  if (!/\bgzip\b/.test(header(call, 'accept-encoding') ?? '')) return answer
  const packed = await gzipBytes(body, { level: constants.Z_BEST_SPEED })
  return { ...answer, headers: { ...answer.headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' }, body: packed }
}
