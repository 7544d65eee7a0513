import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { type Chance, type Clock, type Files, isoTime } from '../../ports/index.ts'
import { AuthorityNotUsable } from '../errors.ts'
import { certificatePair } from './certificate-pair.ts'
import type { CertificatePair } from './certificate-pair.ts'
import { isAddress, makeAuthority, makeServerCertificate, signingKey } from './make-certificate.ts'

const day = 24 * 3_600_000
const authorityLifetime = 3650 * day
const serverLifetime = 365 * day
/** With less than this left, a certificate is replaced. */
const renewBefore = 30 * day

/** What the certificate is for, and where it is kept. */
export interface OwnCertificateOptions {
  /** `DATADIR/tls` */
  readonly folder: string
  /** DNS names and IP addresses under which clients reach the server. */
  readonly names: readonly string[]
  readonly files: Files
  readonly clock: Clock
  readonly chance: Chance
}

/** A certificate that our own authority signed. */
export interface OwnCertificate extends CertificatePair {
  /** PEM of the authority that signed it: what clients must trust. */
  readonly ca: string
  /** True if it was made just now. */
  readonly renewed: boolean
}

/**
 * The server's certificate from our own authority. Both are kept in the folder, each with its key in one file, so that a crash
 * never leaves a key without its certificate. Made when missing; the certificate is made again when it lacks a name, was signed by
 * another authority, ends within 30 days, or is not valid yet because it was made while the clock was ahead. Rejects with
 * `AuthorityNotUsable` rather than replacing an authority that clients already trust.
 */
export async function ownCertificate(options: OwnCertificateOptions): Promise<OwnCertificate> {
  const { folder, files, clock } = options
  const authority = await loadOrMakeAuthority(options)
  const file = join(folder, 'server.pem')
  const kept = readPair(await files.readIfThere(file))
  if (kept !== undefined && stillGood(kept, authority, options)) return { ...kept, ca: authority.certificate, renewed: false }
  const now = clock.now()
  // Never longer than its authority, which is replaced only by hand.
  const lifetime = Math.min(serverLifetime, authority.notAfter - now)
  const made = await makeServerCertificate({ ...options, name: 'aviary', now, lifetime, authority })
  await files.write(file, made.key.reveal() + made.certificate, { mode: 0o600 })
  return { ...made, ca: authority.certificate, renewed: true }
}

async function loadOrMakeAuthority({ folder, files, clock, chance }: OwnCertificateOptions): Promise<CertificatePair> {
  const file = join(folder, 'authority.pem')
  const text = await files.readIfThere(file)
  if (text === undefined) {
    await files.makeFolder(folder, { mode: 0o700 })
    const name = `Aviary authority ${chance.suffix(6)}`
    const made = await makeAuthority({ name, now: clock.now(), lifetime: authorityLifetime, chance })
    await files.write(file, made.key.reveal() + made.certificate, { mode: 0o600 })
    return made
  }
  const pair = readAuthority(file, text)
  if (pair.notAfter <= clock.now() + day) throw AuthorityNotUsable({ file, why: 'it has expired, or does within a day' })
  if (pair.notBefore > clock.now()) {
    const why = `it is valid only from ${isoTime(pair.notBefore)}, and the clock says ${isoTime(clock.now())}`
    throw AuthorityNotUsable({ file, why })
  }
  return pair
}

function readAuthority(file: string, text: string): CertificatePair {
  try {
    const pair = certificatePair(text, text)
    signingKey(pair)
    return pair
  } catch (cause) {
    throw AuthorityNotUsable({ file, why: (cause as Error).message }, { cause })
  }
}

/** What is broken is as good as missing: unlike the authority, nobody trusts the server's certificate itself. */
function readPair(text: string | undefined): CertificatePair | undefined {
  if (text === undefined) return undefined
  try {
    return certificatePair(text, text)
  } catch {
    return undefined
  }
}

function stillGood(pair: CertificatePair, authority: CertificatePair, { names, clock }: OwnCertificateOptions): boolean {
  const certificate = new X509Certificate(pair.certificate)
  const isSigned = certificate.verify(new X509Certificate(authority.certificate).publicKey)
  const hasNames = names.every(name => (isAddress(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined)
  const now = clock.now()
  return isSigned && hasNames && pair.notBefore <= now && pair.notAfter > now + renewBefore
}
