import { CdsRefusal } from './cds-refusal.ts'
import { keyFromBase64, publicHalf } from './json-web-token.ts'
import type { Parts } from './parts.ts'
import type { BuiltinConsumer, Service } from './records.ts'
import { bodyOf, type Call, json, type Route, textAt } from './route.ts'
import { hatchery as hatcheryOnWire, service as serviceOnWire } from './wire.ts'

/** How hatcheries sign in and out, V1 and V2. */
export function signingIn(parts: Parts): readonly Route[] {
  return [
    {
      name: 'sign in v1',
      method: 'POST',
      path: '/auth/consumer/builtin/signin',
      for: 'everybody',
      answer: call => signInV1(parts, call),
    },
    {
      name: 'sign in v2',
      method: 'POST',
      path: '/v2/auth/consumer/hatchery/signin',
      for: 'everybody',
      answer: call => signInV2(parts, call),
    },
    {
      name: 'sign out v1',
      method: 'POST',
      path: '/auth/consumer/signout',
      for: 'v1',
      answer: ({ caller }) => {
        parts.accounts.close(caller?.session ?? '')
        return json(null)
      },
    },
  ]
}

function signInV1(parts: Parts, { request }: Call) {
  const body = forbiddenInsteadOf(() => bodyOf(request))
  const consumer = parts.accounts.builtinOf(body['token'])
  const given = body['service']
  if (given === undefined || given === null) {
    if (Object.keys(consumer.bound).length > 0) {
      const why = `signing request doesn't match with consumer "${consumer.name}" service definition. missing service payload`
      throw new CdsRefusal('forbidden', why)
    }
  } else if (typeof given !== 'object') throw new CdsRefusal('wrongRequest', 'service is not an object')
  else register(parts, consumer, given as Readonly<Record<string, unknown>>)
  const token = parts.accounts.open(consumer)
  if (consumer.service !== undefined) parts.witness.tell('signed in', { by: consumer.service.name, detail: 'v1' })
  const user = {
    id: consumer.id,
    created: '0001-01-01T00:00:00Z',
    username: 'root1',
    fullname: 'Root One',
    ring: 'ADMIN',
    organization: 'default',
  }
  const answer = { api_url: parts.url, token, user, service: consumer.service === undefined ? {} : serviceOnWire(consumer.service) }
  return json(answer, signInHeaders(parts, token))
}

/** The row of the service: made at the first sign-in, brought up to date at each. */
function register(parts: Parts, consumer: BuiltinConsumer, given: Readonly<Record<string, unknown>>): void {
  const region = typeof given['region'] === 'string' ? given['region'] : undefined
  const ignore = typeof given['ignore_job_with_no_region'] === 'boolean' ? given['ignore_job_with_no_region'] : undefined
  const name = textAt(given, 'name')
  const type = textAt(given, 'type')
  mustFit(consumer, { name, type, region, ignore })
  if (name === '') throw new CdsRefusal('wrongRequest', 'missing service name')
  const row: Service = consumer.service ?? { ...emptyService, id: parts.services.size + 1 }
  row.name = name
  row.type = type
  row.url = textAt(given, 'http_url')
  row.config = typeof given['config'] === 'object' && given['config'] !== null ? given['config'] : {}
  row.publicKey = textAt(given, 'public_key')
  row.key = keyFromBase64(row.publicKey)
  row.region = region
  row.ignoreJobWithNoRegion = ignore
  row.lastHeartbeat = parts.clock.now()
  consumer.service = row
  parts.services.set(name, consumer)
}

const emptyService: Omit<Service, 'id'> = {
  name: '',
  type: '',
  url: '',
  config: {},
  key: undefined,
  publicKey: '',
  region: undefined,
  ignoreJobWithNoRegion: undefined,
  lastHeartbeat: 0,
  status: [],
}

function mustFit(
  { bound }: BuiltinConsumer,
  given: { readonly name: string; readonly type: string; readonly region: string | undefined; readonly ignore: boolean | undefined },
): void {
  const differs = (what: string, is: string, should: string) =>
    new CdsRefusal('forbidden', `service ${what} "${is}" doesn't match with consumer "${should}"`)
  if (bound.name !== undefined && bound.name !== given.name) throw differs('name', given.name, bound.name)
  if (bound.type !== undefined && bound.type !== given.type) throw differs('type', given.type, bound.type)
  if (bound.region !== undefined && given.region === undefined) {
    throw new CdsRefusal('forbidden', `unknown service region doesn't match with consumer "${bound.region}"`)
  }
  if (bound.region !== undefined && bound.region !== given.region) throw differs('region', given.region ?? '', bound.region)
  const { ignoreJobWithNoRegion: ignore } = bound
  if (ignore !== undefined && given.ignore === undefined) {
    throw new CdsRefusal('forbidden', `unknown service ignore job with no region value doesn't match with consumer '${ignore}'`)
  }
  if (ignore !== undefined && ignore !== given.ignore) {
    const why = `service ignore job with no region flag value '${given.ignore}' doesn't match with consumer '${ignore}'`
    throw new CdsRefusal('forbidden', why)
  }
}

function signInV2(parts: Parts, { request }: Call) {
  const body = forbiddenInsteadOf(() => bodyOf(request))
  const consumer = parts.accounts.hatcheryOf(body['token'])
  const { hatchery } = consumer
  // Neither of these two says why: one must read the log of the API.
  if (hatchery.region === undefined) throw new CdsRefusal('forbidden')
  if (body['name'] !== hatchery.name) throw new CdsRefusal('forbidden')
  hatchery.url = textAt(body, 'http_url')
  hatchery.config = typeof body['config'] === 'object' && body['config'] !== null ? body['config'] : {}
  hatchery.publicKey = textAt(body, 'public_key')
  hatchery.key = keyFromBase64(hatchery.publicKey)
  hatchery.modelType = textAt(body, 'type')
  hatchery.lastHeartbeat = parts.clock.now()
  const token = parts.accounts.open(consumer)
  parts.witness.tell('signed in', { by: hatchery.name, detail: 'v2' })
  const answer = {
    up_to_date: body['version'] === 'snapshot',
    api_url: parts.url,
    token,
    hatchery: hatcheryOnWire(hatchery),
    region: hatchery.region,
  }
  return json(answer, signInHeaders(parts, token))
}

function signInHeaders(parts: Parts, token: string): Record<string, string> {
  return { 'x-api-pub-signing-key': publicHalf(parts.key), 'set-cookie': `jwt_token=${token}; Path=/; HttpOnly; Secure` }
}

/** At the door, whatever is wrong with the body is forbidden. */
function forbiddenInsteadOf<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof CdsRefusal) throw new CdsRefusal('forbidden', error.from)
    throw error
  }
}
