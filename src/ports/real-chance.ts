import { randomBytes, randomFillSync, randomUUID } from 'node:crypto'
import type { Chance } from './chance.ts'
import { chanceFromWords } from './chance-from-words.ts'

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
