import { expect, test } from 'vitest'
import { NoCapacity } from '../../platform/index.ts'
import { seededChance, Unreachable, VirtualClock } from '../../ports/index.ts'
import { StoreError } from '../../store/index.ts'
import { StageTooSlow } from '../errors.ts'
import { Setbacks } from './setbacks.ts'

const ofGuest = StageTooSlow({ what: 'the guest', minutes: 3, seen: 'nothing' })
const ofOthers = [
  NoCapacity({ what: 'a VM', why: 'the datastore is full' }),
  Unreachable({ target: 'vCenter', why: 'it is away', sent: false }),
  new StoreError('ServiceUnavailable', 'the disk is full'),
]

test.each([
  { what: 'its guest', errors: [ofGuest], isSick: true },
  { what: 'the platform or the store', errors: ofOthers, isSick: false },
  { what: 'its guest, and then the store', errors: [ofGuest, ...ofOthers], isSick: true },
])('a pool that rests because of $what is sick: $isSick', ({ errors, isSick }) => {
  const setbacks = new Setbacks(new VirtualClock(), seededChance(1))
  for (const error of errors) setbacks.failed('2 debian12', error)
  expect([setbacks.isSick('2 debian12'), setbacks.of('2 debian12')?.failures]).toEqual([isSick, errors.length])
  setbacks.succeeded('2 debian12')
  expect([setbacks.isSick('2 debian12'), setbacks.of('2 debian12')]).toEqual([false, undefined])
})
