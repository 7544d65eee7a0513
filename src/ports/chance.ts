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
