import type { Found, Reading } from './reading.ts'

/** The SHA-256 of a certificate, known to be one and not to stand beside an authority. */
export function thumbprint(
  given: { readonly thumbprint: string | undefined; readonly ca: string | undefined },
  found: Found,
  reading: Reading,
): string | undefined {
  if (given.thumbprint === undefined) return undefined
  const place = { at: [...found.at, 'thumbprint'] }
  const digits = given.thumbprint.replaceAll(':', '')
  const fix = 'give the SHA-256 one: openssl s_client -connect HOST:443 </dev/null | openssl x509 -noout -fingerprint -sha256'
  if (/^[0-9a-f]{40}$/i.test(digits)) reading.problem(place, 'is a SHA-1 thumbprint', fix)
  else if (!/^[0-9a-f]{64}$/i.test(digits)) reading.problem(place, 'does not have 64 hexadecimal digits', fix)
  if (given.ca !== undefined) reading.problem(place, 'stands beside ca', 'give one of them: a thumbprint is trusted whoever signed it')
  return given.thumbprint
}

/** A vCenter, known to be a host or an https URL without a login in it. */
export function hostUrl(given: string, found: Found, reading: Reading): string {
  if (given === '') return given
  const fix = 'write it like vcenter.example.org'
  const text = given.includes('://') ? given : `https://${given}`
  if (!URL.canParse(text)) reading.problem(found, 'is not a host', fix)
  else {
    const { protocol, username, password } = new URL(text)
    if (username !== '' || password !== '') reading.problem(found, 'must not hold a user or password', 'give them as user and password')
    if (protocol !== 'https:') reading.problem(found, `must begin with https:, not ${protocol}`, fix)
  }
  return given
}

/** A URL of http or https, without a slash at the end. */
export function webUrl(given: string, found: Found, reading: Reading): string {
  if (given !== '' && !(URL.canParse(given) && /^https?:$/.test(new URL(given).protocol))) {
    reading.problem(found, 'is not a URL', 'write it like https://cds-api.example.org')
  }
  return given.replace(/\/+$/, '')
}
