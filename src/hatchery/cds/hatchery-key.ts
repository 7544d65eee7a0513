import { type KeyObject, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import type { Secret } from '../../ports/index.ts'
import { HatcheryKeyNotValid } from './errors.ts'

/** The smallest that the API's own library still verifies. */
const fewestBits = 1024

/** The key that signs the tokens of workers. */
export interface HatcheryKey {
  /** As CDS wants it at sign-in: base64 of the PEM of its public half, in PKCS#1 form. */
  readonly publicKey: string
  /** A JSON web token with these claims, RS512. */
  signToken(claims: object): string
}

/** Reads the key, in PKCS#1 or PKCS#8 form. Throws `HatcheryKeyNotValid`. */
export function readHatcheryKey(pem: Secret): HatcheryKey {
  const key = privateKeyIn(pem)
  const header = base64url(JSON.stringify({ alg: 'RS512', typ: 'JWT' }))
  const publicPem = createPublicKey(key).export({ type: 'pkcs1', format: 'pem' })
  return Object.freeze({
    publicKey: Buffer.from(publicPem).toString('base64'),
    signToken: (claims: object) => {
      const content = `${header}.${base64url(JSON.stringify(claims))}`
      return `${content}.${sign('RSA-SHA512', Buffer.from(content), key).toString('base64url')}`
    },
  })
}

function privateKeyIn(pem: Secret): KeyObject {
  const key = parsed(pem.reveal().trim())
  if (key.asymmetricKeyType !== 'rsa') throw HatcheryKeyNotValid({ why: `it is a key of type ${key.asymmetricKeyType}, not RSA` })
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < fewestBits) throw HatcheryKeyNotValid({ why: `it has ${bits} bits, and CDS verifies none below ${fewestBits}` })
  return key
}

function parsed(text: string): KeyObject {
  if (!text.includes('PRIVATE KEY-----')) throw HatcheryKeyNotValid({ why: 'it is not a private key in PEM form' })
  if (text.includes('ENCRYPTED')) throw HatcheryKeyNotValid({ why: 'it is protected by a passphrase' })
  try {
    return createPrivateKey(text)
  } catch {
    // Without a cause: what OpenSSL says of a key stays here.
    throw HatcheryKeyNotValid({ why: 'it is damaged or cut short' })
  }
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}
