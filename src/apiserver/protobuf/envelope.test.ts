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
