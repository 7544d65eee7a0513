import { randomBytes, randomFillSync, randomUUID } from 'node:crypto'

/**
 * Where chance comes from: jitter, names and identifiers. The seeded one repeats itself; the real one draws from the
 * machine's cryptographic source.
 */
export interface Chance {
  /** At least 0, below 1. */
  fraction(): number
  /** A whole number, at least `from`, below `to`. */
  integer(from: number, to: number): number
  /** One of `items`, which must not be empty. */
  pick<T>(items: readonly T[]): T
  /** A random (version 4) UUID. */
  uuid(): string
  /** `length` characters that are easy to read aloud and never form a word: the alphabet of Kubernetes' generated names. */
  suffix(length: number): string
  /** `length` unpredictable bytes, for tokens and keys. From the seeded source they are only as secret as the seed. */
  bytes(length: number): Uint8Array
}

/** Chance that nobody can foresee: the machine's cryptographic source. */
export function realChance(): Chance {
  // Drawn ahead in bulk, because one call to the source costs far more than the four bytes that a word needs.
  const ahead = new Uint32Array(256)
  let used = ahead.length
  const word = () => {
    if (used === ahead.length) {
      randomFillSync(ahead)
      used = 0
    }
    return ahead[used++] as number
  }
  return Object.freeze({
    ...chanceFromWords(word),
    uuid: () => randomUUID(),
    bytes: (length: number) => new Uint8Array(randomBytes(length)),
  })
}

/** Chance that repeats itself: the same seed gives the same draws, on every machine and in every version of Node. */
export function seededChance(seed: number | string): Chance {
  return chanceFromWords(smallFastCounter(spread(String(seed))))
}

/** The generator sfc32: 128 bits of state, passes the usual batteries of tests, a handful of operations a draw. */
function smallFastCounter([first, second, third, fourth]: readonly [number, number, number, number]): () => number {
  let a = first
  let b = second
  let c = third
  let counter = fourth
  const word = () => {
    const result = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + result) | 0
    return result >>> 0
  }
  for (let warmUp = 0; warmUp < 12; warmUp++) word()
  return word
}

/** Four words that differ widely even for neighbouring seeds: FNV-1a with four offsets, each with a strong finish. */
function spread(text: string): readonly [number, number, number, number] {
  const hash = (offset: number) => {
    let sum = offset
    for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193)
    sum = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b)
    sum = Math.imul(sum ^ (sum >>> 13), 0xc2b2ae35)
    return (sum ^ (sum >>> 16)) >>> 0
  }
  return [hash(0x811c9dc5), hash(0x9e3779b9), hash(0x243f6a88), hash(0xb7e15162)]
}

/** Kubernetes' alphabet for generated names: no vowels, so no words; nothing that is mistaken for something else. */
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789'

/** Every kind of chance from one source of 32-bit words. */
function chanceFromWords(word: () => number): Chance {
  // 53 bits: all that a number between 0 and 1 can hold.
  const fraction = () => ((word() >>> 5) * 2 ** 26 + (word() >>> 6)) / 2 ** 53

  const integer = (from: number, to: number) => {
    if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from >= to) {
      throw new RangeError(`no whole number is at least ${from} and below ${to}`)
    }
    return from + Math.floor(fraction() * (to - from))
  }

  const pick = <T>(items: readonly T[]): T => {
    if (items.length === 0) throw new RangeError('cannot pick from an empty list')
    return items[integer(0, items.length)] as T
  }

  const suffix = (length: number) => {
    let text = ''
    while (text.length < length) text += suffixAlphabet[integer(0, suffixAlphabet.length)]
    return text
  }

  const bytes = (length: number) => {
    const result = new Uint8Array(length)
    for (let at = 0; at < length; at++) result[at] = word() & 0xff
    return result
  }

  const uuid = () => {
    const raw = bytes(16)
    raw[6] = ((raw[6] as number) & 0x0f) | 0x40
    raw[8] = ((raw[8] as number) & 0x3f) | 0x80
    const hex = Buffer.from(raw.buffer).toString('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  }

  return Object.freeze({ fraction, integer, pick, uuid, suffix, bytes })
}
