import type { TlsTrust } from '../../ports/index.ts'
import type { ApiSettings } from '../settings.ts'

/**
 * What the CDS API must prove to this hatchery. As in the original, `insecure` lets it prove nothing; but whoever says what its
 * certificate is wants it checked, whatever an older line of the file says.
 */
export function apiTrust({ ca, thumbprint, insecure }: Pick<ApiSettings, 'ca' | 'thumbprint' | 'insecure'>): TlsTrust {
  if (thumbprint !== undefined) return { thumbprint }
  if (ca !== undefined) return { ca }
  return insecure ? { insecure: true } : {}
}
