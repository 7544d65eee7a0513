import { tooManyValues } from '../errors.ts'
import { maxValues } from '../json-text.ts'

/** Bytes that are not a protobuf message. */
export class WireError extends Error {}

/** One field as it stands on the wire. Lengths are checked; what it means is up to the reader. */
export interface WireField {
  readonly number: number
  readonly value: bigint | Uint8Array
}

/** Counts the fields of a body, those of nested messages included. */
export interface FieldCount {
  fields: number
}

/** A field of JSON is up to three here: a map's entry, its key and its value. */
const maxFields = 3 * maxValues

/**
 * Splits a message into its fields, in order. Throws `WireError` on anything truncated, oversized or of an unknown wire type, and
 * RequestEntityTooLarge if the body has more fields than are read.
 */
export function* readFields(bytes: Uint8Array, count: FieldCount): Generator<WireField> {
  let at = 0

  function varint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) throw new WireError('unexpected EOF')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new WireError('proto: integer overflow')
  }

  function take(length: bigint): Uint8Array {
    if (length > BigInt(bytes.length - at)) throw new WireError('unexpected EOF')
    const start = at
    at += Number(length)
    return bytes.subarray(start, at)
  }

  while (at < bytes.length) {
    if (++count.fields > maxFields) throw tooManyValues(maxFields)
    const tag = varint()
    const number = Number(tag >> 3n)
    if (number < 1) throw new WireError(`proto: illegal tag ${number}`)
    switch (Number(tag & 7n)) {
      case 0:
        yield { number, value: varint() }
        break
      case 1:
        yield { number, value: take(8n) }
        break
      case 2:
        yield { number, value: take(varint()) }
        break
      case 5:
        yield { number, value: take(4n) }
        break
      default:
        throw new WireError(`proto: illegal wireType ${tag & 7n}`)
    }
  }
}
