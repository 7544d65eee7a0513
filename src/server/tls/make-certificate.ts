import { createHash, createPrivateKey, generateKeyPair, type KeyObject, sign, X509Certificate } from 'node:crypto'
import { promisify } from 'node:util'
import { isoTime, Secret } from '../../ports/index.ts'
import type { Chance } from '../../ports/index.ts'
import { bits, contentOf, context, identifier, integer, octets, partsOf, sequence, setOf, tagged, text, time, yes } from './der.ts'
import type { CertificatePair } from './certificate-pair.ts'

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
  const { publicKey, privateKey } = await newKeys()
  const name = nameOf(request.name)
  const extensions = [
    extension(oid.basicConstraints, sequence(yes, integer(0)), { critical: true }),
    // May sign certificates and lists of revoked ones.
    extension(oid.keyUsage, bits(Buffer.from([0x06]), 1), { critical: true }),
    extension(oid.subjectKeyIdentifier, octets(keyIdentifier(publicKey))),
  ]
  return pairOf({ request, issuer: name, subject: name, publicKey, extensions }, privateKey, privateKey)
}

/** Makes a server's certificate for `names`, DNS names and IP addresses, signed by an authority. Throws if that cannot sign. */
export async function makeServerCertificate(
  request: CertificateRequest & { readonly names: readonly string[]; readonly authority: CertificatePair },
): Promise<CertificatePair> {
  const authority = new X509Certificate(request.authority.certificate)
  const authorityKey = signingKey(request.authority)
  const { publicKey, privateKey } = await newKeys()
  const extensions = [
    extension(oid.basicConstraints, sequence(), { critical: true }),
    // May sign, which is what a TLS handshake needs.
    extension(oid.keyUsage, bits(Buffer.from([0x80]), 7), { critical: true }),
    extension(oid.extendedKeyUsage, sequence(identifier(oid.serverAuthentication))),
    extension(oid.subjectAlternativeName, sequence(...request.names.map(alternativeName))),
    extension(oid.subjectKeyIdentifier, octets(keyIdentifier(publicKey))),
    extension(oid.authorityKeyIdentifier, sequence(tagged(0x80, keyIdentifier(authority.publicKey)))),
  ]
  return pairOf({ request, issuer: subjectOf(authority), subject: nameOf(request.name), publicKey, extensions }, privateKey, authorityKey)
}

/** The key with which an authority signs. Throws an Error that says why it cannot. */
export function signingKey({ key }: CertificatePair): KeyObject {
  const read = createPrivateKey(key.reveal())
  if (read.asymmetricKeyType !== 'ec') throw new Error(`its key is of type ${read.asymmetricKeyType}, not ec`)
  return read
}

/** Whether a name is an IP address. */
export function isAddress(name: string): boolean {
  return name.includes(':') || /^\d{1,3}(\.\d{1,3}){3}$/.test(name)
}

const oid = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuthentication: '1.3.6.1.5.5.7.3.1',
} as const

const newKeys = () => promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })

interface Certified {
  readonly request: CertificateRequest
  readonly issuer: Uint8Array
  readonly subject: Uint8Array
  readonly publicKey: KeyObject
  readonly extensions: readonly Uint8Array[]
}

/** The certificate (RFC 5280, version 3) with its own key, signed with the issuer's. */
function pairOf({ request, issuer, subject, publicKey, extensions }: Certified, ownKey: KeyObject, issuerKey: KeyObject): CertificatePair {
  const { now, lifetime, chance } = request
  const algorithm = sequence(identifier(oid.ecdsaWithSha256))
  const version3 = context(0, integer(2))
  const validity = sequence(time(isoTime(now - backdatedMilliseconds)), time(isoTime(now + lifetime)))
  const key = publicKey.export({ type: 'spki', format: 'der' })
  const parts = [version3, serialNumber(chance), algorithm, issuer, validity, subject, key, context(3, sequence(...extensions))]
  const body = sequence(...parts)
  const certificate = sequence(body, algorithm, bits(sign('sha256', body, issuerKey)))
  return {
    certificate: new X509Certificate(certificate).toString(),
    key: new Secret(ownKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
    notBefore: wholeSeconds(now - backdatedMilliseconds),
    notAfter: wholeSeconds(now + lifetime),
  }
}

/** Certificates know no milliseconds. */
function wholeSeconds(milliseconds: number): number {
  return milliseconds - (milliseconds % 1000)
}

/** Positive, and as long as it looks: some readers take a first bit for a sign, others drop leading zeros. */
function serialNumber(chance: Chance): Buffer {
  const [first = 0, ...rest] = chance.bytes(16)
  return integer((first & 0x3f) | 0x40, ...rest)
}

function nameOf(commonName: string): Buffer {
  return sequence(setOf(sequence(identifier(oid.commonName), text(commonName))))
}

/** The name of a certificate's owner, byte by byte as it stands there: it is compared so. */
function subjectOf({ raw }: X509Certificate): Uint8Array {
  const [, , , , , subject] = partsOf(partsOf(raw)[0]!)
  return subject!
}

function extension(id: string, value: Uint8Array, { critical = false } = {}): Buffer {
  return sequence(identifier(id), ...(critical ? [yes] : []), octets(value))
}

/** By SHA-1 of the key's bits, as everybody does; it is a name, not a proof. */
function keyIdentifier(publicKey: KeyObject): Buffer {
  const [, keyBits] = partsOf(publicKey.export({ type: 'spki', format: 'der' }))
  return createHash('sha1').update(contentOf(keyBits!).subarray(1)).digest()
}

function alternativeName(name: string): Buffer {
  if (!isAddress(name)) return tagged(0x82, Buffer.from(name))
  return tagged(0x87, Buffer.from(name.includes(':') ? sixteenBytes(name) : name.split('.').map(Number)))
}

/** The bytes of an IPv6 address. */
function sixteenBytes(address: string): readonly number[] {
  // A URL writes every address in the same way, without dots.
  const [before = '', after = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = (half: string) =>
    half
      .split(':')
      .filter(group => group !== '')
      .map(group => Number.parseInt(group, 16))
  const [start, end] = [groups(before), groups(after)]
  const zeros = Array.from({ length: 8 - start.length - end.length }, () => 0)
  return [...start, ...zeros, ...end].flatMap(group => [group >> 8, group & 0xff])
}
