import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { signToken } from '../json-web-token.ts'
import { at, jsonOf, type Transcript } from './transcript.ts'

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
export const strangeKey = once(() => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** The public half of a hatchery's key, as it is sent. */
export function publicKeyOf(key: KeyObject): string {
  return Buffer.from(createPublicKey(key).export({ type: 'pkcs1', format: 'pem' })).toString('base64')
}

/** What a worker's token says, beside what every token says. */
export interface WorkerTokenOptions {
  readonly hatchery: Pick<ScriptedHatchery, 'name' | 'key'>
  /** Milliseconds since 1970. */
  readonly now: number
  readonly worker: string
  /** What is said of the worker: job and model. */
  readonly claims: object
  /** Seconds since 1970. Default: an hour from now. */
  readonly expires?: number
}

/** The token that a worker signs in with. */
export function workerToken({ hatchery, worker, claims, expires, ...given }: WorkerTokenOptions): string {
  const now = Math.floor(given.now / 1000)
  const content = {
    iss: hatchery.name,
    sub: worker,
    jti: `${worker}-${now}`,
    iat: now - 1,
    exp: expires ?? now + 3_600,
    Worker: { worker_model: worker, hatchery_name: hatchery.name, ...claims },
  }
  return signToken('RS512', content, hatchery.key)
}
