import { type Clock, realClock } from '../../ports/index.ts'

/** A real clock on which every time limit comes twenty times sooner, for tests that wait for one. */
export function hastyClock(): Clock {
  const clock = realClock()
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (milliseconds, callback) => clock.after(milliseconds / 20, callback),
    soon: callback => clock.soon(callback),
    sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal),
    deadline: (milliseconds, parent) => clock.deadline(milliseconds / 20, parent),
  }
}
