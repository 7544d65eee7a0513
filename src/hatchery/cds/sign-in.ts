import type { Secret } from '../../ports/index.ts'
import type { HatcherySettings } from '../settings.ts'
import { noTime } from './cds-time.ts'
import { CdsAnswerNotUnderstood, CdsRefused } from './errors.ts'
import { signInConfiguration } from '../config/effective-configuration.ts'
import { fieldsOf, textIn } from './reading.ts'
import { readSignInToken } from './sign-in-token.ts'

/** Who signs in. */
export interface SignInOptions {
  readonly settings: HatcherySettings
  /** As `HatcheryKey` gives it. */
  readonly publicKey: string
  /** What CDS compares with its own version. */
  readonly version: string
}

type Post = (path: string, body: string) => Promise<unknown>

/** Signs in as a service, which is what hatcheries of V1 are. Always with all that belongs to it: CDS forgets what is left out. */
export async function signInV1(post: Post, token: Secret, options: SignInOptions): Promise<string> {
  const { settings, publicKey } = options
  const { region, ignoreJobWithNoRegion } = settings.provision
  const path = '/auth/consumer/builtin/signin'
  const body = {
    token: token.reveal(),
    service: {
      id: 0,
      name: settings.name,
      type: 'hatchery',
      http_url: settings.url,
      config: signInConfiguration(settings),
      public_key: publicKey,
      region: region === '' ? null : region,
      ignore_job_with_no_region: ignoreJobWithNoRegion ? true : null,
      last_heartbeat: noTime,
      monitoring_status: { now: noTime, lines: null },
      version: '',
      up_to_date: false,
    },
  }
  const answer = fieldsOf(await refusedWith(post(path, JSON.stringify(body)), () => fixV1(token, settings)))
  return sessionIn(answer, path)
}

/** Signs in as a hatchery with a role on a region; that region is in the answer. */
export async function signInV2(post: Post, token: Secret, options: SignInOptions): Promise<{ session: string; region: string }> {
  const { settings, publicKey, version } = options
  const path = '/v2/auth/consumer/hatchery/signin'
  const body = {
    token: token.reveal(),
    name: settings.name,
    type: 'vsphere',
    http_url: settings.url,
    config: signInConfiguration(settings),
    public_key: publicKey,
    version,
  }
  const answer = fieldsOf(await refusedWith(post(path, JSON.stringify(body)), () => fixV2(token, settings)))
  const region = textIn(answer, 'region')
  if (region === '') throw CdsAnswerNotUnderstood({ call: `POST ${path}`, why: 'it names no region' })
  return { session: sessionIn(answer, path), region }
}

function sessionIn(answer: Readonly<Record<string, unknown>>, path: string): string {
  const token = textIn(answer, 'token')
  if (token === '') throw CdsAnswerNotUnderstood({ call: `POST ${path}`, why: 'it holds no session token' })
  return token
}

/** CDS keeps most of its reasons to itself, so that the fix has to name all that may be. */
async function refusedWith<T>(work: Promise<T>, fix: () => string): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!CdsRefused.is(error) || error.details.status >= 500) throw error
    throw CdsRefused({ ...error.details, fix: fix() }, { cause: error.cause })
  }
}

function fixV1(token: Secret, { name, provision }: HatcherySettings): string {
  if (readSignInToken(token).version === 2) return 'api.token holds a V2 token: put it into api.tokenV2'
  const region = provision.region === '' ? 'no region' : `region "${provision.region}"`
  return (
    `check that api.token is good and has not expired, and that its consumer in CDS was made for a hatchery named "${name}" with ` +
    `${region} and ignoreJobWithNoRegion = ${provision.ignoreJobWithNoRegion}`
  )
}

function fixV2(token: Secret, { name }: HatcherySettings): string {
  if (readSignInToken(token).version === 1) return 'api.tokenV2 holds a V1 token: put it into api.token'
  return (
    `check three things, for CDS does not say which it is: the hatchery is registered in CDS under exactly the name "${name}"; ` +
    'it is granted start-worker on one region; api.tokenV2 is its latest token and has not expired'
  )
}
