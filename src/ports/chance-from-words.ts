import type { Chance } from './chance.ts'

/** Kubernetes' alphabet for generated names: no vowels, so no words; nothing that is mistaken for something else. */
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789'

/** Every kind of chance from one source of 32-bit words. */
export function chanceFromWords(word: () => number): Chance {
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
