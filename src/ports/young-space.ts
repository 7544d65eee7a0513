import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * V8 lets the space for young objects grow to 128 MB and gives them back only when nothing happens for long. With 8 MB the server is
 * as fast; with less, what belongs to requests under way would be taken for old objects and linger among them.
 */
const enoughBytes = 8 * 1024 * 1024

/** Keeps the space for young objects as it is. Loading a large program makes it grow, and it will never need that much again. */
export function holdYoungSpace(): void {
  setGrowth(1)
}

/** From now on the space for young objects may grow until it is large enough, and no further. V8 shrinks it at times, so this goes on. */
export function limitYoungSpace(): void {
  let growth = 2
  setGrowth(growth)
  // It grows only in a collection, so there is nothing to decide at other times.
  const observer = new PerformanceObserver(() => {
    const size = getHeapSpaceStatistics().find(space => space.space_name === 'new_space')?.space_size ?? enoughBytes
    const wanted = size < enoughBytes ? 2 : 1
    if (wanted !== growth) setGrowth((growth = wanted))
  })
  observer.observe({ entryTypes: ['gc'] })
}

function setGrowth(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`)
}
