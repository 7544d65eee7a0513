// @peculiar/x509 needs this one loaded before it.
import 'reflect-metadata'
import { X509Certificate } from 'node:crypto'
import * as x509 from '@peculiar/x509'

export interface TestCertificate {
  readonly certificate: string
  readonly key: string
  /** SHA-256, as Node writes it. */
  readonly thumbprint: string
}

export interface TestAuthority {
  readonly certificate: string
  /** A certificate for 127.0.0.1 and these names. */
  issue(options?: {
    readonly names?: readonly string[]
    readonly addresses?: readonly string[]
    readonly expired?: boolean
  }): Promise<TestCertificate>
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const day = 86_400_000

/** A certificate authority for one test. */
export async function testAuthority(name: string): Promise<TestAuthority> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
    ...lifetime(false),
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  })
  return {
    certificate: authority.toString('pem'),
    async issue({ names = [], addresses = ['127.0.0.1'], expired = false } = {}) {
      const own = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
      const issued = await x509.X509CertificateGenerator.create({
        subject: 'CN=a leaf',
        issuer: authority.subject,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
        ...lifetime(expired),
        extensions: [
          new x509.SubjectAlternativeNameExtension([
            ...names.map(value => ({ type: 'dns' as const, value })),
            ...addresses.map(value => ({ type: 'ip' as const, value })),
          ]),
        ],
      })
      const certificate = issued.toString('pem')
      const key = x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', own.privateKey), 'PRIVATE KEY')
      return { certificate, key, thumbprint: new X509Certificate(certificate).fingerprint256 }
    },
  }
}

function lifetime(expired: boolean): { readonly notBefore: Date; readonly notAfter: Date } {
  const now = Date.now()
  return { notBefore: new Date(now - 10 * day), notAfter: new Date(now + (expired ? -day : day)) }
}
