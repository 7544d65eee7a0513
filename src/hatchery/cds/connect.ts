import { hostname } from 'node:os'
import type { Chance, Clock, HttpClient, Log, Secret, WebSockets } from '../../ports/index.ts'
import type { HatcherySettings } from '../settings.ts'
import type { Cds, CdsV1, CdsV2 } from './cds.ts'
import { expiryWarning } from './expiry-warning.ts'
import { readHatcheryKey } from './hatchery-key.ts'
import type { JobEvents } from './job-events-source.ts'
import { Line, type LineOptions } from './line.ts'
import { type SignInOptions, signInV1, signInV2 } from './sign-in.ts'
import { V1 } from './v1.ts'
import { V2 } from './v2.ts'
import { workerTokens } from './worker-token.ts'

/** What a connection to CDS needs. */
export interface CdsOptions {
  readonly settings: HatcherySettings
  /** Connections are kept between calls, other than the original does, which closes each: CDS asks for neither. */
  readonly http: HttpClient
  readonly webSockets: WebSockets
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  /** What the status shows; default the machine's. */
  readonly hostname?: string
  /** What CDS compares with its own version. Default `snapshot`, as every build of CDS that is not a release. */
  readonly version?: string
}

/** A CDS API whose sides also tell of jobs by themselves. */
export interface ConnectedCds extends Cds {
  readonly v1: (CdsV1 & JobEvents) | undefined
  readonly v2: (CdsV2 & JobEvents) | undefined
}

/** The CDS API that the settings name. Sends nothing yet. Throws `HatcheryKeyNotValid`. */
export function connectCds(options: CdsOptions): ConnectedCds {
  const { settings, clock, chance } = options
  const key = readHatcheryKey(settings.key)
  const signIn: SignInOptions = { settings, publicKey: key.publicKey, version: options.version ?? 'snapshot' }
  const { tokenV1, tokenV2 } = settings.api
  return Object.freeze({
    v1: tokenV1 === undefined ? undefined : connectV1(tokenV1, signIn, options),
    v2: tokenV2 === undefined ? undefined : connectV2(tokenV2, signIn, options),
    workerToken: workerTokens({ hatchery: settings.name, key, clock, chance }),
  })
}

function connectV1(token: Secret, options: SignInOptions, shared: CdsOptions): V1 {
  const warn = expiryWarning('api.token', token, shared)
  const line = lineFor(shared, async post => {
    warn()
    return await signInV1(post, token, options)
  })
  const { region, ignoreJobWithNoRegion } = shared.settings.provision
  return new V1(line, { ...sourceOf(shared), region, ignoreJobWithNoRegion, clock: shared.clock, log: shared.log })
}

function connectV2(token: Secret, options: SignInOptions, shared: CdsOptions): V2 {
  let region = ''
  const warn = expiryWarning('api.tokenV2', token, shared)
  const line = lineFor(shared, async post => {
    warn()
    const answer = await signInV2(post, token, options)
    region = answer.region
    return answer.session
  })
  return new V2(line, {
    ...sourceOf(shared),
    osArch: shared.settings.osArch,
    region: () => region,
    clock: shared.clock,
    log: shared.log,
  })
}

function lineFor({ settings, http, webSockets, clock }: CdsOptions, signIn: LineOptions['signIn']): Line {
  return new Line({ url: settings.api.url, http, webSockets, clock, requestTimeout: settings.api.requestTimeout, signIn })
}

function sourceOf({ settings, hostname: given }: CdsOptions): { readonly name: string; readonly hostname: string } {
  return { name: settings.name, hostname: given ?? hostname() }
}
