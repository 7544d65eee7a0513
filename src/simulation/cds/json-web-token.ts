import { constants, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'

/** CDS signs what operators keep with PS512 and what programs keep with RS512. */
export type Algorithm = 'PS512' | 'RS512'

/** A signed text of three parts: header, content, signature. */
export function signToken(algorithm: Algorithm, content: object, key: KeyObject): string {
  const signed = `${part({ alg: algorithm, ...(algorithm === 'RS512' && { typ: 'JWT' }) })}.${part(content)}`
  return `${signed}.${sign('sha512', Buffer.from(signed), { key, ...padding(algorithm) }).toString('base64url')}`
}

/** What is in a token, believed unseen; undefined if it is no token. */
export function readToken(token: string): { readonly algorithm: string; readonly content: Record<string, unknown> } | undefined {
  const [header, content, signature, ...more] = token.split('.')
  if (header === undefined || content === undefined || signature === undefined || more.length > 0) return undefined
  const [head, body] = [unpart(header), unpart(content)]
  return head === undefined || body === undefined ? undefined : { algorithm: String(head['alg']), content: body }
}

/** Tokens whose signatures were found right, by key: the same one comes with every call of its session. */
const believed = new WeakMap<KeyObject, Map<string, Record<string, unknown>>>()

/** How many are kept for each key. */
const mostBelieved = 256

/** What is in a token whose signature is right; undefined if it is not. */
export function verifyToken(token: string, algorithms: readonly Algorithm[], key: KeyObject): Record<string, unknown> | undefined {
  const known = believed.get(key) ?? new Map<string, Record<string, unknown>>()
  const name = `${algorithms.join(' ')} ${token}`
  const before = known.get(name)
  if (before !== undefined) return before
  const content = verified(token, algorithms, key)
  if (content === undefined) return undefined
  if (known.size >= mostBelieved) known.clear()
  believed.set(key, known.set(name, Object.freeze(content)))
  return content
}

function verified(token: string, algorithms: readonly Algorithm[], key: KeyObject): Record<string, unknown> | undefined {
  const read = readToken(token)
  const algorithm = algorithms.find(each => each === read?.algorithm)
  if (read === undefined || algorithm === undefined) return undefined
  const end = token.lastIndexOf('.')
  const signature = Buffer.from(token.slice(end + 1), 'base64url')
  const right = verify('sha512', Buffer.from(token.slice(0, end)), { key, ...padding(algorithm) }, signature)
  return right ? read.content : undefined
}

let ownKey: KeyObject | undefined

/**
 * The key of all simulated APIs in this process. Making one takes a while, and no behaviour depends on which it is; it is as
 * short as PS512 allows, because it signs much and keeps nothing safe.
 */
export function apiKey(): KeyObject {
  ownKey ??= generateKeyPairSync('rsa', { modulusLength: 1152 }).privateKey
  return ownKey
}

/** The public half of a key as CDS writes it: PEM of PKCS#1, in base64. */
export function publicHalf(key: KeyObject): string {
  return Buffer.from(createPublicKey(key).export({ type: 'pkcs1', format: 'pem' })).toString('base64')
}

/** The key that a hatchery sent with its sign-in; undefined if it sent none that can be read. */
export function keyFromBase64(text: unknown): KeyObject | undefined {
  if (typeof text !== 'string' || text === '') return undefined
  const pem = Buffer.from(text, 'base64').toString()
  // The real one reads PKCS#1 alone.
  if (!pem.includes('BEGIN RSA PUBLIC KEY')) return undefined
  try {
    return createPublicKey(pem)
  } catch {
    return undefined
  }
}

function padding(algorithm: Algorithm): { padding: number; saltLength?: number } {
  if (algorithm === 'RS512') return { padding: constants.RSA_PKCS1_PADDING }
  return { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
}

function part(content: object): string {
  return Buffer.from(JSON.stringify(content)).toString('base64url')
}

function unpart(text: string): Record<string, unknown> | undefined {
  try {
    const content: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return typeof content === 'object' && content !== null && !Array.isArray(content) ? { ...content } : undefined
  } catch {
    return undefined
  }
}
