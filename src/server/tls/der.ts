/*
 * As much of DER as certificates need: values are bytes with a tag and a length before them, nested.
 */

/** A value under a tag. */
export function tagged(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const length = content.reduce((sum, { byteLength }) => sum + byteLength, 0)
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(length)]), ...content])
}

function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff)
  return [0x80 | bytes.length, ...bytes]
}

/** Several values in one, in order. */
export function sequence(...items: readonly Uint8Array[]): Buffer {
  return tagged(0x30, ...items)
}

/** A set of one value. */
export function setOf(item: Uint8Array): Buffer {
  return tagged(0x31, item)
}

/** A value in a context of its own: `[number]`. */
export function context(number: number, ...content: readonly Uint8Array[]): Buffer {
  return tagged(0xa0 | number, ...content)
}

/** A whole number by its bytes, the first of which must not look like a sign. */
export function integer(...bytes: readonly number[]): Buffer {
  return tagged(0x02, Buffer.from(bytes))
}

export const yes = tagged(0x01, Buffer.from([0xff]))

export function octets(content: Uint8Array): Buffer {
  return tagged(0x04, content)
}

/** Bits, of which so many at the end do not count. */
export function bits(content: Uint8Array, unused = 0): Buffer {
  return tagged(0x03, Buffer.from([unused]), content)
}

export function text(value: string): Buffer {
  return tagged(0x0c, Buffer.from(value))
}

/** An object identifier such as `2.5.29.19`. */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(sevenBits)]))
}

function sevenBits(number: number): readonly number[] {
  const bytes = [number & 0x7f]
  for (let rest = number >> 7; rest > 0; rest >>= 7) bytes.unshift(0x80 | (rest & 0x7f))
  return bytes
}

/** A time in whole seconds, from text such as `2026-11-15T23:21:43Z`. Years from 2050 on have a form of their own. */
export function time(iso: string): Buffer {
  const digits = iso.replace(/[-:T]/g, '')
  return iso < '2050' ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits))
}

/** The values inside a value, each whole. */
export function partsOf(value: Uint8Array): readonly Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let rest = contentOf(value); rest.byteLength > 0;) {
    const { start, length } = extent(rest)
    parts.push(rest.subarray(0, start + length))
    rest = rest.subarray(start + length)
  }
  return parts
}

/** What stands under a value's tag. */
export function contentOf(value: Uint8Array): Uint8Array {
  const { start, length } = extent(value)
  return value.subarray(start, start + length)
}

function extent(value: Uint8Array): { readonly start: number; readonly length: number } {
  const first = value[1] ?? 0
  if (first < 0x80) return { start: 2, length: first }
  const start = 2 + (first & 0x7f)
  return { start, length: value.subarray(2, start).reduce((sum, byte) => sum * 256 + byte, 0) }
}
