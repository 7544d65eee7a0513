import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { periodically } from '../../control/index.ts'
import { type Chance, type Clock, type Files, isoTime, type Log, type Metrics, type Secret } from '../../ports/index.ts'
import { FileSecret } from '../config/file-secret.ts'
import { CertificateNotUsable } from '../errors.ts'
import { certificatePair } from './certificate-pair.ts'
import type { CertificatePair } from './certificate-pair.ts'
import { ownCertificate } from './own-certificate.ts'
import { serverNames } from './server-names.ts'

/** What the configuration says about the certificate. */
export interface TlsSettings {
  readonly names: readonly string[]
  readonly certificate?: string | undefined
  readonly key?: Secret | undefined
  readonly ca?: string | undefined
}

/** Where certificates come from. */
export interface ServingCertificateOptions {
  readonly dataDir: string
  /** Where the server listens. */
  readonly host: string
  readonly tls: TlsSettings
  readonly files: Files
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  readonly metrics: Metrics
}

/** The certificate that the server shows. */
export interface ServingCertificate extends CertificatePair {
  /** PEM of what clients must trust; undefined if the system's authorities will do. */
  readonly ca: string | undefined
}

/** The certificate to show: the one of the configuration, or one of our own. */
export async function servingCertificate(options: ServingCertificateOptions): Promise<ServingCertificate> {
  const { tls, dataDir, host, metrics } = options
  const serving = isConfigured(tls)
    ? await configuredCertificate(tls, options)
    : await ownCertificate({ ...options, folder: join(dataDir, 'tls'), names: serverNames(host, tls.names) })
  metrics
    .gauge({
      name: 'aviary_server_certificate_expires_timestamp_seconds',
      help: 'When the certificate of the server ends, in seconds since 1970.',
    })
    .set({}, Math.floor(serving.notAfter / 1000))
  return serving
}

type ConfiguredTls = TlsSettings & { readonly certificate: string; readonly key: Secret }

function isConfigured(tls: TlsSettings): tls is ConfiguredTls {
  return tls.certificate !== undefined && tls.key !== undefined
}

async function configuredCertificate(tls: ConfiguredTls, { files, clock }: ServingCertificateOptions): Promise<ServingCertificate> {
  const file = tls.certificate
  try {
    // Read again each time: who renews a certificate often makes a new key for it.
    const key = tls.key instanceof FileSecret ? await files.read(tls.key.file) : tls.key.reveal()
    const pair = certificatePair(await files.read(file), key)
    if (pair.notAfter <= clock.now()) throw new Error('it has expired')
    if (pair.notBefore > clock.now()) throw new Error(`it is valid only from ${isoTime(pair.notBefore)}`)
    return { ...pair, ca: tls.ca === undefined ? selfSigned(pair) : await files.read(tls.ca) }
  } catch (cause) {
    throw CertificateNotUsable({ file, why: (cause as Error).message }, { cause })
  }
}

/** A certificate that vouches for itself is what clients must trust. */
function selfSigned({ certificate }: CertificatePair): string | undefined {
  const parsed = new X509Certificate(certificate)
  return parsed.verify(parsed.publicKey) ? certificate : undefined
}

/** A certificate of our own is renewed a month before its end; when somebody replaces theirs, they want to see it. */
const lookEvery = { own: 12 * 3_600_000, configured: 60_000 }

/**
 * Looks from time to time whether there is or must be a new certificate, and hands it over. A failure is told once and tried again:
 * the old one is good for a while yet. Returns how to stop.
 */
export function keepRenewing(
  options: ServingCertificateOptions,
  shown: ServingCertificate,
  replace: (certificate: ServingCertificate) => unknown,
): () => void {
  const { clock, log, tls } = options
  let current = shown
  let isTold = false
  const look = async () => {
    try {
      const serving = await servingCertificate(options)
      if (serving.certificate !== current.certificate || serving.ca !== current.ca) {
        await replace(serving)
        current = serving
        log.info('server certificate renewed')
      }
      isTold = false
    } catch (error) {
      if (!isTold) log.error('server certificate cannot be renewed', { error })
      isTold = true
    }
  }
  const ending = new AbortController()
  periodically(clock, isConfigured(tls) ? lookEvery.configured : lookEvery.own, ending.signal, look)
  return () => ending.abort()
}
