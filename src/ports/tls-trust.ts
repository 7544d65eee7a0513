import { X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { TrustNotValid } from './errors.ts'
import type { TlsTrust } from './http.ts'
import { whyItFailed } from './text.ts'

/** What a server must prove, known to make sense. */
export interface CheckedTrust {
  /** As Node writes it: upper case, a colon between the bytes. */
  readonly thumbprint: string | undefined
  /** PEM, one each; undefined: the machine's. */
  readonly authorities: readonly string[] | undefined
  /** Whether whoever answers is believed unseen; then nothing else is looked at. */
  readonly insecure: boolean
  readonly serverName: string | undefined
  /** The client's own certificate and key, if it has them. */
  readonly own: SecureContextOptions
}

/** Reads what a client is told to trust. Throws `TrustNotValid`. */
export function checkTrust(trust: TlsTrust): CheckedTrust {
  if (trust.thumbprint !== undefined && trust.ca !== undefined) {
    throw TrustNotValid({
      field: 'thumbprint',
      why: 'it stands beside ca',
      fix: 'give one of them: a thumbprint is trusted whoever signed it',
    })
  }
  if (trust.insecure === true && (trust.thumbprint !== undefined || trust.ca !== undefined)) {
    throw TrustNotValid({
      field: 'insecure',
      why: 'it stands beside ca or thumbprint',
      fix: 'leave it out: with one of them the certificate is checked',
    })
  }
  return {
    thumbprint: trust.thumbprint === undefined ? undefined : canonicalThumbprint(trust.thumbprint),
    authorities: trust.ca === undefined ? undefined : certificatesIn(trust.ca),
    insecure: trust.insecure === true,
    serverName: trust.serverName,
    own: ownCertificate(trust),
  }
}

function canonicalThumbprint(text: string): string {
  const digits = text.replaceAll(':', '').trim().toUpperCase()
  if (/^[0-9A-F]{64}$/.test(digits)) return (digits.match(/../g) as string[]).join(':')
  const why = digits.length === 40 ? 'it is a SHA-1 thumbprint' : 'it does not have 64 hexadecimal digits'
  throw TrustNotValid({ field: 'thumbprint', why, fix: 'give the SHA-256 one: openssl x509 -in CERTIFICATE -noout -fingerprint -sha256' })
}

function ownCertificate({ certificate, key }: TlsTrust): SecureContextOptions {
  if (certificate === undefined && key === undefined) return {}
  if (certificate === undefined)
    throw TrustNotValid({ field: 'certificate', why: 'it is missing', fix: 'give the certificate that belongs to key' })
  if (key === undefined) throw TrustNotValid({ field: 'key', why: 'it is missing', fix: 'give the key that belongs to certificate' })
  const own = { cert: certificate, key: key.reveal() }
  try {
    createSecureContext(own)
  } catch (error) {
    // Without a cause: what OpenSSL says of a key stays here.
    throw TrustNotValid({ field: 'key', why: `it does not fit certificate: ${whyItFailed(error)}`, fix: 'give both as PEM, from one pair' })
  }
  return own
}

function certificatesIn(pem: string): readonly string[] {
  const fix = 'give one or more certificates in PEM form'
  const blocks = pem.match(/-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g)
  if (blocks === null) throw TrustNotValid({ field: 'ca', why: 'it holds no certificate', fix })
  try {
    return blocks.map(block => new X509Certificate(block).toString())
  } catch (error) {
    throw TrustNotValid({ field: 'ca', why: `a certificate in it cannot be read: ${whyItFailed(error)}`, fix })
  }
}
