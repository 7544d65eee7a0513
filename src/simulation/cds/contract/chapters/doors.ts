import { publicKeyOf, signedInHatchery } from '../hatchery.ts'
import { at, jsonOf, type Transcript } from '../transcript.ts'

const signInV1 = { method: 'POST', path: '/auth/consumer/builtin/signin' } as const
const signInV2 = { method: 'POST', path: '/v2/auth/consumer/hatchery/signin' } as const

/** Who is let in, who is not, and what a session is good for. */
export async function doors(t: Transcript): Promise<void> {
  const h = await signedInHatchery(t, 'doors', 'eu')
  const { tokenV1, tokenV2, service, bodyV2 } = h

  await t.ask('V1 sign-in without a body', signInV1)
  await t.ask('V1 sign-in with a body that is no JSON', { ...signInV1, body: '{nope' })
  await t.ask('V1 sign-in without a token', { ...signInV1, body: { service } })
  await t.ask('V1 sign-in with nonsense for a token', { ...signInV1, body: { token: 'nonsense', service } })
  await t.ask('V1 sign-in with a token whose signature is broken', { ...signInV1, body: { token: broken(tokenV1), service } })
  await t.ask('V1 sign-in with a V2 token', { ...signInV1, body: { token: tokenV2, service } })
  await t.ask('V1 sign-in without a service', { ...signInV1, body: { token: tokenV1 } })
  await t.ask('V1 sign-in under another name', { ...signInV1, body: { token: tokenV1, service: { ...service, name: 'other' } } })
  await t.ask('V1 sign-in as another type', { ...signInV1, body: { token: tokenV1, service: { ...service, type: 'hooks' } } })
  await t.ask('V1 sign-in with name and type alone', {
    ...signInV1,
    body: { token: tokenV1, service: { name: 'doors', type: 'hatchery' } },
  })
  const v1 = await t.ask('V1 sign-in', {
    ...signInV1,
    body: { token: tokenV1, service },
    show: [
      'api_url',
      'token',
      'user',
      'service.id',
      'service.name=',
      'service.type=',
      'service.http_url=',
      'service.public_key',
      'service.region=',
      'service.ignore_job_with_no_region=',
      'service.last_heartbeat',
      'service.monitoring_status=',
      'service.up_to_date=',
    ],
  })
  t.say(`V1 key of the API: ${describeKey(v1.headers['x-api-pub-signing-key'])}`)
  t.say(`V1 session: ${describeToken(at(jsonOf(v1), 'token'))}`)
  t.say(`V1 token: ${describeToken(tokenV1)}`)

  const bound = await t.subject.addHatcheryV1('bound', 'eu')
  const asBound = { ...service, name: 'bound' }
  const right = { region: 'eu', ignore_job_with_no_region: true }
  await t.ask('V1 sign-in of a bound one without a region', { ...signInV1, body: { token: bound, service: asBound } })
  await t.ask('V1 sign-in of a bound one from elsewhere', {
    ...signInV1,
    body: { token: bound, service: { ...asBound, ...right, region: 'us' } },
  })
  await t.ask('V1 sign-in of a bound one that does not say what it ignores', {
    ...signInV1,
    body: { token: bound, service: { ...asBound, region: 'eu' } },
  })
  await t.ask('V1 sign-in of a bound one that ignores nothing', {
    ...signInV1,
    body: { token: bound, service: { ...asBound, ...right, ignore_job_with_no_region: false } },
  })
  await t.ask('V1 sign-in of a bound one', {
    ...signInV1,
    body: { token: bound, service: { ...asBound, ...right } },
    show: ['service.region=', 'service.ignore_job_with_no_region='],
  })

  await t.ask('V2 sign-in without a body', signInV2)
  await t.ask('V2 sign-in with a body that is no JSON', { ...signInV2, body: '{nope' })
  await t.ask('V2 sign-in with nonsense for a token', { ...signInV2, body: { ...bodyV2, token: 'nonsense' } })
  await t.ask('V2 sign-in with a token whose signature is broken', { ...signInV2, body: { ...bodyV2, token: broken(tokenV2) } })
  await t.ask('V2 sign-in with a V1 token', { ...signInV2, body: { ...bodyV2, token: tokenV1 } })
  await t.ask('V2 sign-in under another name', { ...signInV2, body: { ...bodyV2, name: 'other' } })
  const alone = await t.subject.addHatcheryV2('alone', undefined)
  await t.ask('V2 sign-in without a region', { ...signInV2, body: { ...bodyV2, token: alone, name: 'alone' } })
  const v2 = await t.ask('V2 sign-in', {
    ...signInV2,
    body: bodyV2,
    show: [
      'up_to_date=',
      'api_url',
      'token',
      'region=',
      'hatchery.id',
      'hatchery.name=',
      'hatchery.model_type=',
      'hatchery.public_key',
      'hatchery.http_url=',
    ],
  })
  t.say(`V2 key of the API: ${describeKey(v2.headers['x-api-pub-signing-key'])}`)
  t.say(`V2 session: ${describeToken(at(jsonOf(v2), 'token'))}`)
  t.say(`V2 token: ${describeToken(tokenV2)}`)
  await t.ask('V2 sign-in of another version', { ...signInV2, body: { ...bodyV2, version: '0.1' }, show: ['up_to_date='] })

  for (const [what, token] of [
    ['without a session', undefined],
    ['with nonsense for a session', 'nonsense'],
    ['with the sign-in token for a session', tokenV1],
    ['with the V2 session', h.sessionV2],
    ['with the V1 session', h.sessionV1],
  ] as const) {
    const by = token === undefined ? {} : { token }
    await t.ask(`V1 heartbeat ${what}`, { method: 'POST', path: '/services/heartbeat', body: { lines: [] }, ...by })
    await t.ask(`V2 heartbeat ${what}`, { method: 'POST', path: '/v2/hatchery/heartbeat', body: { lines: [] }, ...by })
    await t.ask(`V1 CDN ${what}`, { path: '/config/cdn', ...by, show: ['tcp_url', 'tcp_url_enable_tls=', 'http_url'] })
    await t.ask(`V2 CDN ${what}`, { path: '/v2/config/cdn', ...by, show: ['tcp_url', 'tcp_url_enable_tls=', 'http_url'] })
    await t.ask(`V1 workers ${what}`, { path: '/worker', ...by })
    await t.ask(`V2 workers ${what}`, { path: '/v2/worker', ...by })
    await t.ask(`V1 queue ${what}`, { path: '/queue/workflows?modelType=vsphere', ...by })
    await t.ask(`V2 queue ${what}`, { path: '/v2/queue/eu?osarch=linux/amd64', ...by })
    await t.ask(`V1 models ${what}`, { path: '/worker/model/enabled', ...by })
  }
  await t.ask('V1 heartbeat that is no JSON', { method: 'POST', path: '/services/heartbeat', body: '{nope', token: h.sessionV1 })
  await t.ask('V1 queue of a model type that does not exist', { path: '/queue/workflows?modelType=nest', token: h.sessionV1 })
  await t.ask('a path that does not exist', { path: '/nowhere', token: h.sessionV1 })
  await t.ask('sign-out of V2', { method: 'POST', path: '/auth/consumer/signout', token: h.sessionV2 })
  await t.ask('sign-out without a session', { method: 'POST', path: '/auth/consumer/signout' })
  await t.ask('sign-out', { method: 'POST', path: '/auth/consumer/signout', token: h.sessionV1 })
  await t.ask('V1 workers after the sign-out', { path: '/worker', token: h.sessionV1 })
  await t.ask('sign-out again', { method: 'POST', path: '/auth/consumer/signout', token: h.sessionV1 })
  t.say(`the key that was sent is a PKCS#1 one: ${Buffer.from(publicKeyOf(h.key), 'base64').toString().includes('RSA PUBLIC KEY')}`)
}

/** The same token with another signature. */
function broken(token: string): string {
  const place = token.lastIndexOf('.') + 10
  return `${token.slice(0, place)}${token[place] === 'A' ? 'B' : 'A'}${token.slice(place + 1)}`
}

function describeKey(header: string | undefined): string {
  return /-----BEGIN [A-Z ]+-----/.exec(Buffer.from(header ?? '', 'base64').toString())?.[0] ?? 'none'
}

/** What kind of token it is, and how long it is good for. */
function describeToken(token: unknown): string {
  const [head = '', body = ''] = String(token).split('.')
  const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg: string }
  const content = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>
  const lasts = typeof content['exp'] === 'number' ? `, good for ${Math.round((content['exp'] - Number(content['iat'])) / 60)} minutes` : ''
  const data =
    typeof content['data'] === 'object' && content['data'] !== null ? ` of ${Object.keys(content['data']).toSorted().join(' ')}` : ''
  const type = typeof content['type'] === 'string' ? `, ${content['type']}` : ''
  return `${header.alg}, ${Object.keys(content).toSorted().join(' ')}${data}${type}${lasts}`
}
