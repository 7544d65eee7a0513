import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { signToken } from '../json-web-token.ts'
import { type Asked, at, jsonOf, type Transcript } from './transcript.ts'

/** A hatchery that a transcript speaks for: its key, and the sessions that it has. */
export interface ScriptedHatchery {
  readonly name: string
  readonly key: KeyObject
  readonly tokenV1: string
  readonly tokenV2: string
  /** What it signs in with, V1. */
  readonly service: object
  /** What it signs in with, V2. */
  readonly bodyV2: object
  readonly sessionV1: string
  readonly sessionV2: string
}

/** Makes a hatchery in a region and signs it in, V1 and V2. */
export async function signedInHatchery(transcript: Transcript, name: string, region: string): Promise<ScriptedHatchery> {
  const { subject } = transcript
  const tokenV1 = await subject.addHatcheryV1(name)
  const tokenV2 = await subject.addHatcheryV2(name, region)
  const key = ownKey()
  const publicKey = publicKeyOf(key)
  const service = { name, type: 'hatchery', http_url: 'http://127.0.0.1:9', config: { osArch: ['linux/amd64'] }, public_key: publicKey }
  const bodyV2 = {
    token: tokenV2,
    name,
    type: 'vsphere',
    http_url: 'http://127.0.0.1:9',
    config: { osArch: ['linux/amd64'] },
    public_key: publicKey,
    version: 'snapshot',
  }
  const v1 = await transcript.quietly({ method: 'POST', path: '/auth/consumer/builtin/signin', body: { token: tokenV1, service } })
  const v2 = await transcript.quietly({ method: 'POST', path: '/v2/auth/consumer/hatchery/signin', body: bodyV2 })
  const session = (answer: typeof v1) => String(at(jsonOf(answer), 'token'))
  return { name, key, tokenV1, tokenV2, service, bodyV2, sessionV1: session(v1), sessionV2: session(v2) }
}

/** The key of all scripted hatcheries: making one takes a while. */
const ownKey = once(() => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)

/** A key that no hatchery has. */
const strangeKey = once(() => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** The public half of a hatchery's key, as it is sent. */
export function publicKeyOf(key: KeyObject): string {
  return Buffer.from(createPublicKey(key).export({ type: 'pkcs1', format: 'pem' })).toString('base64')
}

/** Makes the token that a worker signs in with: `claims` are its job and model, `expires` is in seconds since 1970. */
export type WorkerTokens = (worker: string, claims: object, expires?: number) => string

/** The tokens that a hatchery makes for its workers, good for an hour. */
export function workerTokens(time: { now(): number }, { name, key }: Pick<ScriptedHatchery, 'name' | 'key'>): WorkerTokens {
  return (worker, claims, expires) => {
    const now = Math.floor(time.now() / 1000)
    const content = {
      iss: name,
      sub: worker,
      jti: `${worker}-${now}`,
      iat: now - 1,
      exp: expires ?? now + 3_600,
      Worker: { worker_model: worker, hatchery_name: name, ...claims },
    }
    return signToken('RS512', content, key)
  }
}

/** Workers that nobody is to let in, of whatever version: without a token, or with one that is not their hatchery's. */
export async function strangers(t: Transcript, { name, key }: ScriptedHatchery, signIn: Asked, claims: object): Promise<void> {
  await t.ask('worker without a token', signIn)
  await t.ask('worker with nonsense for a token', { ...signIn, token: 'nonsense' })
  const byStranger = workerTokens(t.subject, { name, key: strangeKey() })
  await t.ask('worker with a token of another key', { ...signIn, token: byStranger('w0', claims) })
  const byGhost = workerTokens(t.subject, { name: 'ghost', key })
  await t.ask('worker of a hatchery that does not exist', { ...signIn, token: byGhost('w0', claims) })
}
