import { type Access, tooManyRequests, type User } from '../access/index.ts'
import { type Call, header } from './call.ts'

/** The largest body that is read; the same as the real server's. */
const maxBodyBytes = 3 * 1024 * 1024

/** Reads the body of a request. Rejects with RequestEntityTooLarge, or with TooManyRequests if its sender has too much on its way. */
export async function requestBody(call: Call, user: User, access: Access, signal: AbortSignal): Promise<Buffer> {
  using room = access.holdBytes(user, announcedBytes(call))
  if (room === undefined) throw tooManyRequests(1)
  return await call.body(maxBodyBytes, signal)
}

/** A body that comes in chunks may be as large as any; one that is announced as larger is not read at all. */
function announcedBytes(call: Call): number {
  if (header(call, 'transfer-encoding') !== undefined) return maxBodyBytes
  return Math.min(Number(header(call, 'content-length') ?? 0), maxBodyBytes)
}
