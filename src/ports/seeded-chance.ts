import type { Chance } from './chance.ts'
import { chanceFromWords } from './chance-from-words.ts'

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
