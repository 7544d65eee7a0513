/** A full chunk is split in two. Small enough that inserting into it is a short copy, large enough that chunks are few. */
const fullChunk = 1024

/**
 * Keys in order, in chunks: adding and removing cost a short copy, reading on from any key a binary search. Plain string order,
 * which for the characters that names may have is the byte order in which etcd sorts.
 */
export class SortedKeys {
  #chunks: string[][] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Replaces everything by these keys, each of which must occur once. */
  fill(keys: readonly string[]): void {
    const sorted = keys.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    this.#chunks = []
    for (let at = 0; at < sorted.length; at += fullChunk / 2) this.#chunks.push(sorted.slice(at, at + fullChunk / 2))
    this.#size = sorted.length
  }

  /** Adds a key that is not there yet. */
  add(key: string): void {
    this.#size++
    // A key beyond the last one belongs into the last chunk.
    const at = Math.min(this.#chunkOf(key), this.#chunks.length - 1)
    const chunk = this.#chunks[at]
    if (chunk === undefined) {
      this.#chunks.push([key])
      return
    }
    chunk.splice(lowerBound(chunk, key), 0, key)
    if (chunk.length >= fullChunk) this.#chunks.splice(at + 1, 0, chunk.splice(fullChunk / 2))
  }

  /** Removes a key that is there. */
  remove(key: string): void {
    this.#size--
    const at = this.#chunkOf(key)
    const chunk = this.#chunks[at]!
    chunk.splice(lowerBound(chunk, key), 1)
    if (chunk.length === 0) this.#chunks.splice(at, 1)
  }

  /** The keys from `start` on, in order. Not to be used on after a change. */
  *from(start: string): Generator<string, void, undefined> {
    const first = this.#chunkOf(start)
    for (let at = first; at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at]!
      for (let i = at === first ? lowerBound(chunk, start) : 0; i < chunk.length; i++) yield chunk[i]!
    }
  }

  /** How many keys come before `key`. */
  rank(key: string): number {
    const at = this.#chunkOf(key)
    let before = 0
    for (let i = 0; i < at; i++) before += this.#chunks[i]!.length
    const chunk = this.#chunks[at]
    return chunk === undefined ? before : before + lowerBound(chunk, key)
  }

  /** The first chunk whose last key is not before `key`; the number of chunks if there is none. */
  #chunkOf(key: string): number {
    let low = 0
    let high = this.#chunks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const chunk = this.#chunks[middle]!
      if (chunk[chunk.length - 1]! < key) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Where in a sorted array `key` is or would be. */
function lowerBound(sorted: readonly string[], key: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < key) low = middle + 1
    else high = middle
  }
  return low
}
