import { describe, expect, test } from 'vitest'
import type { PlatformEvent } from '../../platform/index.ts'
import { fateByEvents, fateByStart, isDue, type Lifetimes } from './fate.ts'

const minute = 60_000
const now = 1_800_000_000_000
const lifetimes: Lifetimes = { workerTtl: 120 * minute, workerRegistrationTtl: 10 * minute, finishedWorkerGracePeriod: 3 * minute }

describe('a VM that says when it became a worker', () => {
  test.each([
    { power: 'off', isRegistered: true, minutes: 0.01, removed: true },
    { power: 'off', isRegistered: true, minutes: 0, removed: false },
    { power: 'off', isRegistered: false, minutes: 2.9, removed: false },
    { power: 'off', isRegistered: false, minutes: 3.1, removed: true },
    { power: 'on', isRegistered: true, minutes: 119, removed: false },
    { power: 'on', isRegistered: true, minutes: 121, removed: true },
    { power: 'on', isRegistered: false, minutes: 9, removed: false },
    { power: 'on', isRegistered: false, minutes: 11, removed: true },
    { power: 'suspended', isRegistered: false, minutes: 9, removed: false },
    { power: 'suspended', isRegistered: false, minutes: 11, removed: true },
  ] as const)('powered $power, registered: $isRegistered, $minutes min after: removed: $removed', row => {
    const fate = fateByStart(row.power, row.isRegistered, now - row.minutes * minute, lifetimes)
    expect(isDue(fate, now)).toBe(row.removed)
  })

  test('is kept at the very moment at which its time ends, and removed after it', () => {
    const fate = fateByStart('on', false, now - 10 * minute, lifetimes)
    expect([isDue(fate, now), isDue(fate, now + 1)]).toEqual([false, true])
  })
})

describe('a VM of an older hatchery', () => {
  const ago = (type: PlatformEvent['type'], minutes: number, message = `worker: ${type}`): PlatformEvent => ({
    type,
    vm: 'vm-1',
    name: 'worker',
    time: now - minutes * minute,
    message,
  })
  const provision = 'provision-v2-abcde'

  test.each([
    { name: 'renamed lately and not started', events: [ago('renamed', 9)], isRegistered: false, removed: false },
    { name: 'renamed long ago and not started', events: [ago('renamed', 11)], isRegistered: false, removed: true },
    { name: 'started lately, known to CDS', events: [ago('started', 119)], isRegistered: true, removed: false },
    { name: 'started long ago, known to CDS', events: [ago('started', 121)], isRegistered: true, removed: true },
    {
      name: 'started and off again, known to CDS',
      events: [ago('started', 100), ago('poweredOff', 1)],
      isRegistered: true,
      removed: false,
    },
    { name: 'started and off again, unknown', events: [ago('started', 5), ago('poweredOff', 1)], isRegistered: false, removed: true },
    { name: 'off and started after that, unknown', events: [ago('poweredOff', 6), ago('started', 5)], isRegistered: false, removed: false },
    { name: 'started lately, unknown', events: [ago('started', 9)], isRegistered: false, removed: false },
    { name: 'started long ago, unknown', events: [ago('started', 11)], isRegistered: false, removed: true },
    { name: 'started twice, the last counts', events: [ago('started', 50), ago('started', 5)], isRegistered: false, removed: false },
    {
      name: 'started while it stood ready: that is not its life as a worker',
      events: [ago('started', 600, `${provision} is powered on`), ago('renamed', 5, `${provision} is now worker`)],
      isRegistered: false,
      removed: false,
    },
    {
      name: 'renamed from the name of a provision long ago and never started as a worker',
      events: [ago('started', 600, `${provision} is powered on`), ago('renamed', 11, `${provision} is now worker`)],
      isRegistered: false,
      removed: true,
    },
  ])('$name: removed: $removed', ({ events, isRegistered, removed }) => {
    const fate = fateByEvents(events, isRegistered, lifetimes)
    expect(fate === undefined ? undefined : isDue(fate, now)).toBe(removed)
  })

  test.each([
    { name: 'no event at all', events: [] },
    { name: 'neither started nor renamed', events: [ago('created', 600), ago('poweredOff', 600)] },
    { name: 'only what happened while it stood ready', events: [ago('started', 600, `${provision} is powered on`)] },
  ])('$name does not tell its fate', ({ events }) => {
    expect(fateByEvents(events, false, lifetimes)).toBeUndefined()
  })
})
