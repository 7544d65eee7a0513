import type { Secret } from '../../ports/index.ts'
import { numberIn, textIn } from './reading.ts'
import { payloadOf } from './session.ts'

/** What can be read off a token that an operator was given. It is signed by the API, which alone can tell whether it is good. */
export interface SignInToken {
  /** Which side it is for; undefined if it does not say. */
  readonly version: 1 | 2 | undefined
  /** Milliseconds since 1970; undefined: it does not end. */
  readonly expires: number | undefined
}

const versions: Readonly<Record<string, 1 | 2>> = { signinBuiltinConsumerToken: 1, signinHatcheryConsumerToken: 2 }

/** Reads a token as far as it can be read. */
export function readSignInToken(token: Secret): SignInToken {
  const payload = payloadOf(token.reveal())
  const expires = numberIn(payload, 'expire') * 1000
  return { version: versions[textIn(payload, 'type')], expires: expires > 0 ? expires : undefined }
}
