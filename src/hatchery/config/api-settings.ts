import type { ApiSettings } from '../settings.ts'
import { apiTrust } from './api-trust.ts'
import type { vsphereKeys } from './keys.ts'
import type { Reading } from './reading.ts'
import type { Values } from './table.ts'
import { thumbprint, webUrl } from './trust-settings.ts'

type Given = Values<typeof vsphereKeys>['commonConfiguration']['api']

/** How the CDS API is reached, known to make sense. */
export function apiSettings({ http, token, tokenV2, requestTimeout, maxHeartbeatFailures }: Given, reading: Reading): ApiSettings {
  const at = (...names: string[]) => reading.at('commonConfiguration', 'api', ...names)
  const url = webUrl(http.url, at('http', 'url'), reading)
  if (token === undefined && tokenV2 === undefined) {
    reading.problem(
      at(),
      'has no token',
      'add token (for V1 jobs) or tokenV2 (for V2 jobs), or set CDS_HATCHERY_VSPHERE_API_TOKEN or CDS_HATCHERY_VSPHERE_API_TOKENV2',
    )
  }
  if (url.startsWith('https:') && apiTrust(http).insecure === true) {
    reading.warn(
      at('http', 'insecure'),
      'whoever answers in the API’s place is believed and gets the tokens: its certificate is not checked',
      'add ca or thumbprint beside it: then the hatchery checks it, and only workers go by insecure',
    )
  }
  return {
    url,
    insecure: http.insecure,
    ca: http.ca,
    thumbprint: thumbprint(http, at('http'), reading),
    tokenV1: token,
    tokenV2,
    requestTimeout: requestTimeout * 1000,
    maxHeartbeatFailures,
  }
}
