import { createPrivateKey, X509Certificate } from 'node:crypto'
import { Secret } from '../../ports/index.ts'
import { certificatesIn, privateKeyIn } from './pem.ts'

/** A certificate with its key. */
export interface CertificatePair {
  /** PEM, the chain after it. */
  readonly certificate: string
  /** PEM. */
  readonly key: Secret
  readonly notBefore: number
  readonly notAfter: number
}

/** Reads a certificate, perhaps with its chain, and its key. Throws an Error that says in a few words what is wrong. */
export function certificatePair(certificateText: string, keyText: string): CertificatePair {
  const certificates = certificatesIn(certificateText)
  const key = privateKeyIn(keyText)
  if (certificates[0] === undefined) throw new Error('there is no PEM certificate in it')
  if (key === undefined) throw new Error('there is no PEM private key in it')
  const leaf = attempt(() => new X509Certificate(certificates[0] as string), 'the certificate cannot be parsed')
  const privateKey = attempt(() => createPrivateKey(key), 'the private key cannot be parsed (is it encrypted?)')
  if (!leaf.checkPrivateKey(privateKey)) throw new Error('the private key is not that of the certificate')
  return {
    certificate: `${certificates.join('\n')}\n`,
    key: new Secret(`${key}\n`),
    notBefore: leaf.validFromDate.getTime(),
    notAfter: leaf.validToDate.getTime(),
  }
}

function attempt<T>(work: () => T, otherwise: string): T {
  try {
    return work()
  } catch (cause) {
    throw new Error(otherwise, { cause })
  }
}
