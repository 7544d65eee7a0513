import { StoreError } from '../errors.ts'

/** Where a list goes on: at which moment, with which key, and of which list it is the rest. */
export interface ContinueToken {
  /** `whenUsed` for the rest of a list whose moment is gone: whatever there is then. */
  readonly revision: number
  readonly start: string
  /** Kind and namespace: a token does not fit another list. */
  readonly of: string
}

export const whenUsed = 0

/** Packs it into the opaque text that a caller hands back. */
export function encodeContinue({ revision, start, of }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ rv: revision, start, of })).toString('base64url')
}

/** Unpacks it. Throws BadRequest if it is not the token of this list. */
export function decodeContinue(text: string, of: string): ContinueToken {
  const parsed = parse(text)
  const { rv, start, of: owner } = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as Record<string, unknown>
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv < whenUsed || typeof start !== 'string' || typeof owner !== 'string') {
    throw bad('it was not made by this server')
  }
  if (owner !== of) throw bad(`it belongs to the list of ${owner}`)
  return { revision: rv, start, of }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}

function bad(why: string): StoreError {
  return new StoreError('BadRequest', `invalid continue token: continue key is not valid: ${why}`, {
    fix: 'pass on the continue text of the page before exactly as it was, or start a new list',
  })
}
