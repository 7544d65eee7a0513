import { RequestNotValid, Unreachable } from './errors.ts'
import { Failure } from './failure.ts'
import { codeOf, whyItFailed } from './why-it-failed.ts'

const untrusted: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])
const howToTrust = 'trust its authority (a CA file, or NODE_EXTRA_CA_CERTS), or this one certificate by its SHA-256 thumbprint'

/** What undici's error means to whoever asked. `sent` is whether the request may have reached `target`. */
export function failureFrom(error: unknown, target: string, sent: boolean): Failure {
  if (error instanceof Failure) return error
  const code = codeOf(error)
  if (code === 'UND_ERR_INVALID_ARG') {
    return RequestNotValid({ what: whyItFailed(error), fix: 'a header must not hold line breaks or control characters' })
  }
  // Undici's own errors may hold a piece of the answer: only text and code go on.
  const cause = Object.assign(new Error(whyItFailed(error)), code === undefined ? {} : { code })
  const fix = code !== undefined && untrusted.has(code) ? { fix: howToTrust } : {}
  return Unreachable({ target, why: cause.message, sent, ...fix }, { cause })
}
