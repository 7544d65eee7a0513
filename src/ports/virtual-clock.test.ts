import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DeadlineExceeded } from './errors.ts'
import { seededChance } from './chance.ts'
import { VirtualClock } from './virtual-clock.ts'

const hour = 3_600_000

describe('the virtual clock', () => {
  test('stands still until it is moved', async () => {
    const clock = new VirtualClock({ start: 1000 })
    expect([clock.now(), clock.monotonic()]).toEqual([1000, 0])
    await clock.advance(250)
    expect([clock.now(), clock.monotonic()]).toEqual([1250, 250])
  })

  test('runs timers by due time, then in the order in which they were asked for', async () => {
    const clock = new VirtualClock()
    const ran: string[] = []
    clock.after(20, () => ran.push('late'))
    clock.after(10, () => ran.push('first of two'))
    clock.after(10, () => ran.push('second of two'))
    clock.after(-5, () => ran.push('overdue'))
    await clock.advance(20)
    expect(ran).toEqual(['overdue', 'first of two', 'second of two', 'late'])
  })

  test('shows each timer the moment at which it is due', async () => {
    const clock = new VirtualClock({ start: 0 })
    const seen: number[] = []
    for (const delay of [30, 10, 20]) clock.after(delay, () => seen.push(clock.now()))
    await clock.advance(100)
    expect(seen).toEqual([10, 20, 30])
    expect(clock.now()).toBe(100)
  })

  test('lets promises settle before it moves on, so that they set their timers at the right moment', async () => {
    const clock = new VirtualClock({ start: 0 })
    const seen: number[] = []
    const walk = async () => {
      for (let step = 0; step < 3; step++) {
        await clock.sleep(10)
        for (let hop = 0; hop < 50; hop++) await Promise.resolve()
        seen.push(clock.now())
      }
    }
    const walked = walk()
    await clock.advance(30)
    await walked
    expect(seen).toEqual([10, 20, 30])
  })

  test('lets what is already under way set its timers before it starts to move', async () => {
    const clock = new VirtualClock({ start: 0 })
    const seen: number[] = []
    void Promise.resolve().then(() => clock.after(5, () => seen.push(clock.now())))
    await clock.advance(5)
    expect(seen).toEqual([5])
  })

  test('runs a timer of 0 ms only when it is moved, and then after what its moment set going', async () => {
    const clock = new VirtualClock()
    const ran: string[] = []
    clock.after(0, () => {
      ran.push('timer')
      clock.after(0, () => ran.push('timer of the timer'))
      void Promise.resolve().then(() => ran.push('promise of the timer'))
    })
    await new Promise(resolve => setImmediate(resolve))
    expect(ran).toEqual([])
    await clock.advance(0)
    expect(ran).toEqual(['timer', 'promise of the timer', 'timer of the timer'])
  })

  test('runs what is asked for soon in order, without being moved', async () => {
    const clock = new VirtualClock()
    const ran: number[] = []
    await new Promise<void>(resolve => {
      clock.soon(() => ran.push(1))
      clock.soon(() => {
        ran.push(2)
        clock.soon(() => resolve(void ran.push(4)))
      })
      clock.soon(() => ran.push(3))
    })
    expect(ran).toEqual([1, 2, 3, 4])
  })

  test('lets the promises of one thing asked for soon come to rest before it runs the next', async () => {
    const clock = new VirtualClock()
    const ran: string[] = []
    clock.soon(async () => {
      for (let step = 1; step <= 3; step++) {
        ran.push(`first ${step}`)
        await Promise.resolve()
      }
    })
    clock.soon(() => ran.push('second'))
    await clock.advance(0)
    expect(ran).toEqual(['first 1', 'first 2', 'first 3', 'second'])
  })

  test('lets the event loop have its turn amid a long chain of what is asked for soon', async () => {
    const clock = new VirtualClock()
    let steps = 0
    const again = () => void (steps++ < 100_000 && clock.soon(again))
    again()
    await new Promise<void>(resolve => setImmediate(resolve))
    expect(steps).toBeLessThan(100_000)
    await clock.advance(0)
    expect(steps).toBeGreaterThan(100_000)
  })

  test('finishes everything that is asked for soon, however deep, before time moves on', async () => {
    const clock = new VirtualClock({ start: 0 })
    const seen: number[] = []
    const again = (times: number) => clock.soon(() => (times === 0 ? seen.push(clock.now()) : again(times - 1)))
    clock.after(10, () => again(20))
    clock.after(11, () => seen.push(clock.now()))
    await clock.advance(1000)
    expect(seen).toEqual([10, 11])
  })

  test('does not run a timer that another one of the same moment called off', async () => {
    const clock = new VirtualClock()
    const ran: string[] = []
    clock.after(10, () => second.cancel())
    const second = clock.after(10, () => ran.push('second'))
    await clock.advance(10)
    expect(ran).toEqual([])
  })

  test('to call a timer off after it ran does nothing', async () => {
    const clock = new VirtualClock()
    const ran: string[] = []
    const timer = clock.after(1, () => ran.push('once'))
    clock.after(2, () => ran.push('other'))
    await clock.advance(1)
    timer.cancel()
    timer.cancel()
    await clock.advance(1)
    expect(ran).toEqual(['once', 'other'])
  })

  test('hands on what a timer throws, and stays usable', async () => {
    const clock = new VirtualClock({ start: 0 })
    const ran: number[] = []
    clock.after(5, () => {
      throw new Error('broken')
    })
    clock.after(6, () => ran.push(6))
    await expect(clock.advance(10)).rejects.toThrow('broken')
    expect(clock.now()).toBe(5)
    await clock.advance(5)
    expect(ran).toEqual([6])
  })

  test('refuses to be moved by two at once', async () => {
    const clock = new VirtualClock()
    const first = clock.advance(10)
    await expect(clock.advance(10)).rejects.toThrow('already being advanced')
    await first
  })

  test('says so when timers of 0 ms follow each other without end', async () => {
    const clock = new VirtualClock()
    const again = () => void clock.after(0, again)
    again()
    await expect(clock.advance(1)).rejects.toThrow('time does not move on')
  })

  test('runs until nothing is left to wait for', async () => {
    const clock = new VirtualClock({ start: 0 })
    let hops = 0
    const hop = () => void (++hops < 5 && clock.after(100, hop))
    hop()
    expect(await clock.runUntilIdle(hour)).toBe(true)
    expect([hops, clock.now()]).toEqual([5, 400])
  })

  test('stops at the limit if something is always left to wait for', async () => {
    const clock = new VirtualClock({ start: 0 })
    const tick = () => void clock.after(1000, tick)
    tick()
    expect(await clock.runUntilIdle(4500)).toBe(false)
    expect(clock.now()).toBe(4500)
  })
})

describe('sleep', () => {
  test('rejects with the reason as soon as its signal is aborted, and leaves no timer behind', async () => {
    const clock = new VirtualClock()
    const stop = new AbortController()
    const slept = clock.sleep(hour, stop.signal)
    stop.abort(new Error('enough'))
    await expect(slept).rejects.toThrow('enough')
    expect(await clock.runUntilIdle(0)).toBe(true)
  })

  test('does not begin when its signal is already aborted', async () => {
    const clock = new VirtualClock()
    await expect(clock.sleep(hour, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late')
    expect(await clock.runUntilIdle(0)).toBe(true)
  })
})

describe('a deadline', () => {
  test('aborts its signal with DeadlineExceeded when time is up', async () => {
    const clock = new VirtualClock()
    const { signal } = clock.deadline(500)
    await clock.advance(499)
    expect(signal.aborted).toBe(false)
    await clock.advance(1)
    expect(DeadlineExceeded.is(signal.reason)).toBe(true)
    expect(String(signal.reason)).toContain('500 ms')
  })

  test("takes over its parent's reason", () => {
    const clock = new VirtualClock()
    const parent = new AbortController()
    const before = clock.deadline(500, parent.signal)
    parent.abort('the parent stopped')
    const after = clock.deadline(500, parent.signal)
    expect([before.signal.reason, after.signal.reason]).toEqual(['the parent stopped', 'the parent stopped'])
  })

  test('never fires once it is disposed of, and leaves no timer behind', async () => {
    const clock = new VirtualClock()
    const parent = new AbortController()
    let signal: AbortSignal
    {
      using deadline = clock.deadline(500, parent.signal)
      signal = deadline.signal
    }
    parent.abort('later')
    expect(await clock.runUntilIdle(0)).toBe(true)
    expect(signal.aborted).toBe(false)
  })
})

describe('what always holds of the virtual clock', () => {
  interface Action {
    readonly delay: number
    readonly cancels: number | undefined
    readonly adds: number | undefined
  }
  const delays = fc.integer({ min: 0, max: 20 })
  const action = fc.record<Action>({
    delay: delays,
    cancels: fc.option(fc.nat(30), { nil: undefined }),
    adds: fc.option(delays, { nil: undefined }),
  })

  /** Sets one timer for each action; when it runs it calls another one off, adds one, and leaves a mark. */
  async function run(actions: readonly Action[], steps: readonly number[]): Promise<readonly string[]> {
    const clock = new VirtualClock({ start: 0 })
    const marks: string[] = []
    const timers = actions.map(({ delay, cancels, adds }, index) =>
      clock.after(delay, () => {
        marks.push(`${clock.now()}:${delay}:${index}`)
        if (cancels !== undefined) timers[cancels]?.cancel()
        if (adds !== undefined) void clock.sleep(adds).then(() => marks.push(`${clock.now()}:${delay + adds}:added by ${index}`))
      }),
    )
    for (const step of steps) await clock.advance(step)
    await clock.runUntilIdle(1000)
    return marks
  }

  test('each timer runs at its due time, in the order of due time and request', () =>
    fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 30 }), async actions => {
        const marks = (await run(actions, [])).map(mark => mark.split(':'))
        for (const [now, due] of marks) expect(now).toBe(due)
        const ofOneKind = marks.filter(([, , who]) => !who?.startsWith('added')).map(([now, , who]) => [Number(now), Number(who)] as const)
        expect(ofOneKind).toEqual(ofOneKind.toSorted(([a, i], [b, j]) => a - b || i - j))
      }),
    ))

  test('the same run repeats itself, however its time is cut into steps', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 30 }),
        fc.array(fc.integer({ min: 0, max: 15 }), { maxLength: 8 }),
        async (actions, steps) => {
          const once = await run(actions, [])
          expect(await run(actions, [])).toEqual(once)
          expect(await run(actions, steps)).toEqual(once)
        },
      ),
    ))

  test('the same seed gives the same hour of a thousand objects', async () => {
    const rehearse = async (seed: number) => {
      const clock = new VirtualClock({ start: 0 })
      const chance = seededChance(seed)
      const marks: string[] = []
      const live = (name: number) =>
        void clock.sleep(chance.integer(1000, 600_000)).then(() => {
          marks.push(`${name}@${clock.now()}`)
          live(name)
        })
      for (let name = 0; name < 1000; name++) live(name)
      await clock.advance(hour)
      return marks
    }
    const once = await rehearse(7)
    expect(once.length).toBeGreaterThan(10_000)
    expect(await rehearse(7)).toEqual(once)
    expect(await rehearse(8)).not.toEqual(once)
  })
})
