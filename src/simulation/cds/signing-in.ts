import { CdsRefusal } from './cds-refusal.ts'
import { introduce, stranger } from './introduction.ts'
import { publicHalf } from './json-web-token.ts'
import type { Parts } from './parts.ts'
import type { BuiltinConsumer } from './records.ts'
import { bodyOf, type Call, json, type Route, routesFor, textAt } from './route.ts'
import { hatchery as hatcheryOnWire, service as serviceOnWire } from './wire.ts'

const door = routesFor('everybody')

/** How hatcheries sign in and out, V1 and V2. */
export function signingIn(parts: Parts): readonly Route[] {
  return [
    door('sign in v1', 'POST /auth/consumer/builtin/signin', call => signInV1(parts, call)),
    door('sign in v2', 'POST /v2/auth/consumer/hatchery/signin', call => signInV2(parts, call)),
    routesFor('v1')('sign out v1', 'POST /auth/consumer/signout', ({ caller }) => {
      parts.accounts.close(caller?.session ?? '')
      return json(null)
    }),
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
  const about = { name, type, region, ignoreJobWithNoRegion: ignore }
  // The same row for as long as the hatchery is known: its workers hold on to it.
  consumer.service ??= { ...stranger, ...about, id: parts.services.size + 1 }
  Object.assign(consumer.service, about)
  introduce(consumer.service, given, parts.clock.now())
  parts.services.set(name, consumer)
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
  introduce(hatchery, body, parts.clock.now())
  hatchery.modelType = textAt(body, 'type')
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
