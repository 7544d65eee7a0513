import { createPrivateKey } from 'node:crypto'
import { Secret } from '../../ports/index.ts'
import type { Found, Reading } from './reading.ts'

const leastBits = 2048

/** The key that signs the tokens of workers, known to be one; reports why not. */
export function rsaKey(given: Secret, found: Found, reading: Reading): Secret {
  if (given.reveal() === '') return given
  // In a variable of the environment line ends are often written out.
  const pem = given.reveal().replaceAll('\\n', '\n').trim()
  const problem = (message: string) =>
    reading.problem(
      found,
      message,
      'write the PEM of an RSA private key (-----BEGIN RSA PRIVATE KEY----- or -----BEGIN PRIVATE KEY-----), as made by: openssl genrsa -traditional 4096',
    )
  if (/^-----BEGIN (RSA )?PUBLIC KEY-----|^-----BEGIN CERTIFICATE-----/.test(pem)) problem('is public, not a private key')
  else if (/ENCRYPTED/.test(pem)) problem('is encrypted')
  else if (!pem.startsWith('-----BEGIN')) problem('is not PEM')
  else {
    try {
      const key = createPrivateKey(pem)
      const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
      if (key.asymmetricKeyType !== 'rsa') problem(`is a key for ${key.asymmetricKeyType ?? 'something else'}, not for RSA`)
      else if (bits < leastBits)
        reading.warn(found, `has only ${bits} bits`, `make one of ${leastBits} or more: openssl genrsa -traditional 4096`)
    } catch {
      // What the library says of a key that it cannot read may hold parts of it.
      problem('cannot be read: it is damaged or cut off')
    }
  }
  return new Secret(`${pem}\n`)
}
