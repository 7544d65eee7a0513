import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { readEnvelope } from './envelope.ts'
import { recordedBodies } from './recorded-bodies.ts'
import { WireError } from './wire.ts'

describe('bodies that Go clients send', () => {
  test.each(recordedBodies)('$what', ({ hex, object }) => {
    expect(readEnvelope(Buffer.from(hex, 'hex'))).toEqual(object)
  })
})

test('many entries of a map and of a list are read one by one, without going through those before', () => {
  const count = 10_000
  const keys = Array.from({ length: count }, (_, index) => `key${index}`)
  const finalizers = keys.map(key => field(14, Buffer.from(key)))
  const data = keys.map(key => field(2, Buffer.concat([field(1, Buffer.from(key)), field(2, Buffer.from('x'))])))
  const type = Buffer.concat([field(1, Buffer.from('v1')), field(2, Buffer.from('ConfigMap'))])
  const raw = Buffer.concat([field(1, Buffer.concat(finalizers)), ...data])
  expect(readEnvelope(Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, raw)]))).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { finalizers: keys },
    data: Object.fromEntries(keys.map(key => [key, 'x'])),
  })
})

/** A field of bytes, as it goes over the wire. */
function field(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(bytes.length)]), bytes])
}

function varint(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}

describe('bodies that nobody should send', () => {
  const body = Buffer.from(recordedBodies[1]!.hex, 'hex')

  test.each([
    ['no magic', Buffer.from('{"kind":"Secret"}')],
    ['nothing at all', Buffer.alloc(0)],
    ['a kind that is only taken as JSON', Buffer.from(body.toString('latin1').replace('Secret', 'Cheese'), 'latin1')],
    ['a length beyond the end', Buffer.concat([Buffer.from('k8s\0'), Buffer.from([0x0a, 0x7f])])],
    ['a number without an end', Buffer.concat([Buffer.from('k8s\0'), Buffer.alloc(20, 0xff)])],
    ['a group, which proto3 does not have', Buffer.concat([Buffer.from('k8s\0'), Buffer.from([0x0b])])],
    ['field number zero', Buffer.concat([Buffer.from('k8s\0'), Buffer.from([0x00, 0x00])])],
    ['text that is not UTF-8', Buffer.from(body.toString('latin1').replace('wood', 'w\xff\xffd'), 'latin1')],
  ])('%s is refused', (_name, bytes) => {
    expect(() => readEnvelope(bytes)).toThrow(WireError)
  })

  test('damaged bytes are refused or read, but nothing else happens', () => {
    fc.assert(
      fc.property(fc.nat(body.length - 5), fc.nat(255), fc.nat(body.length), (at, byte, length) => {
        const damaged = Buffer.from(body.subarray(0, length))
        if (at + 4 < damaged.length) damaged[at + 4] = byte
        try {
          readEnvelope(damaged)
        } catch (error) {
          expect(error).toBeInstanceOf(WireError)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
