import { Failure, isoTime, type Secret } from '../../ports/index.ts'
import type { Check } from '../../vsphere/index.ts'
import { type CdsOptions, connectCds } from './connect.ts'
import { CdsRefused } from './errors.ts'
import { day, early } from './expiry-warning.ts'
import { readSignInToken } from './sign-in-token.ts'

/** Milliseconds that somebody at a terminal waits for CDS, however patient the hatchery itself is told to be. */
const longestLook = 10_000

/**
 * Signs in to each side that has a token, once, and tells who it is there and until when the token is good. Nothing else is asked of
 * CDS, and the session is left to end by itself: what a sign-out takes along is known to CDS alone, and a hatchery may run under this
 * name. Does not reject: what fails is a check.
 */
export async function checkSignIns(options: CdsOptions, signal: AbortSignal): Promise<readonly Check[]> {
  const { api, name, provision } = options.settings
  const hurried = { ...options.settings, api: { ...api, requestTimeout: Math.min(api.requestTimeout, longestLook) } }
  const { v1, v2 } = connectCds({ ...options, settings: hurried })
  const look = async (side: 'V1' | 'V2', token: Secret | undefined, signIn: () => Promise<string>): Promise<readonly Check[]> => {
    if (token === undefined) return []
    const what = `signing in to CDS ${api.url} for ${side} jobs`
    try {
      const region = await signIn()
      const place = region === '' ? '' : `, region "${region}"`
      return [{ what, ok: true, found: `as "${name}"${place}; ${tokenEnd(token, options.clock.now())}` }]
    } catch (error) {
      return [failed(what, error)]
    }
  }
  const sides = [
    look('V1', api.tokenV1, async () => {
      await v1?.signIn(signal)
      return provision.region
    }),
    look('V2', api.tokenV2, async () => {
      await v2?.signIn(signal)
      return v2?.region ?? ''
    }),
  ]
  return (await Promise.all(sides)).flat()
}

/** Until when a token that CDS has just taken will be taken. */
function tokenEnd(token: Secret, now: number): string {
  const { expires } = readSignInToken(token)
  if (expires === undefined) return 'its token does not end'
  const days = Math.floor((expires - now) / day)
  const end = `its token ends at ${isoTime(expires)}, in ${days} ${days === 1 ? 'day' : 'days'}`
  return expires - now > early ? end : `${end}: ask CDS for a new one and put it into the configuration`
}

function failed(what: string, error: unknown): Check {
  const found = error instanceof Error ? error.message : String(error)
  // An error that has no number of CDS's own was not told by CDS.
  const isOfCds = !CdsRefused.is(error) || error.details.id !== 0
  const fix = isOfCds && error instanceof Failure ? error.fix : undefined
  return {
    what,
    ok: false,
    found,
    breaks: 'the hatchery does not start: it tries for five minutes and gives up',
    fix: fix ?? 'check that commonConfiguration.api.http.url is the address of the CDS API, and that this machine reaches it',
  }
}
