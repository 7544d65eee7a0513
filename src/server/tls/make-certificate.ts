import { dateOf, Secret } from '../../ports/index.ts'
import type { Chance } from '../../ports/index.ts'
import type { CertificatePair } from './certificate-pair.ts'

type Key = typeof CryptoKey.prototype

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** Clocks differ a little: a certificate is good from a moment before it was made. */
const backdatedMilliseconds = 5 * 60_000

interface CertificateRequest {
  readonly name: string
  readonly now: number
  readonly lifetime: number
  readonly chance: Chance
}

/** Makes a certificate authority: a key and a certificate that it signed itself. */
export async function makeAuthority(request: CertificateRequest): Promise<CertificatePair> {
  const x509 = await library()
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      ...validity(request),
      name: `CN=${request.name}`,
      keys,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, crypto),
      ],
    },
    crypto,
  )
  return await pairOf(certificate, keys.privateKey)
}

/** Makes a server's certificate for `names`, DNS names and IP addresses, signed by an authority. */
export async function makeServerCertificate(
  request: CertificateRequest & { readonly names: readonly string[]; readonly authority: CertificatePair },
): Promise<CertificatePair> {
  const x509 = await library()
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const issuer = new x509.X509Certificate(request.authority.certificate)
  const names = request.names.map(value => ({ type: isAddress(value) ? ('ip' as const) : ('dns' as const), value }))
  const certificate = await x509.X509CertificateGenerator.create(
    {
      ...validity(request),
      subject: `CN=${request.name}`,
      issuer: issuer.subject,
      publicKey: keys.publicKey,
      signingKey: await importKey(request.authority.key),
      signingAlgorithm: algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension(names),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, crypto),
        await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey, false, crypto),
      ],
    },
    crypto,
  )
  return await pairOf(certificate, keys.privateKey)
}

/** Whether a name is an IP address. */
export function isAddress(name: string): boolean {
  return name.includes(':') || /^\d{1,3}(\.\d{1,3}){3}$/.test(name)
}

/** Loaded only when there is something to make: it takes longer than the rest of a start. */
async function library() {
  await import('reflect-metadata')
  return await import('@peculiar/x509')
}

function validity({ now, lifetime, chance }: CertificateRequest): { serialNumber: string; notBefore: Date; notAfter: Date } {
  const serial = chance.bytes(16)
  // Positive, and as long as it looks: some readers take a first bit for a sign, others drop leading zeros.
  serial[0] = (serial[0]! & 0x3f) | 0x40
  return {
    serialNumber: Buffer.from(serial).toString('hex'),
    notBefore: dateOf(now - backdatedMilliseconds),
    notAfter: dateOf(now + lifetime),
  }
}

async function importKey(key: Secret): Promise<Key> {
  const der = Buffer.from(key.reveal().replace(/-----[^-]+-----|\s/g, ''), 'base64')
  return await crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
}

async function pairOf(certificate: { toString(format: 'pem'): string; notAfter: Date }, key: Key): Promise<CertificatePair> {
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', key)).toString('base64')
  const pem = `-----BEGIN PRIVATE KEY-----\n${der.replace(/(.{64})(?=.)/g, '$1\n')}\n-----END PRIVATE KEY-----\n`
  return { certificate: `${certificate.toString('pem')}\n`, key: new Secret(pem), notAfter: certificate.notAfter.getTime() }
}
