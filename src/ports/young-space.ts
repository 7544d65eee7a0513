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
  const { PerformanceObserver } = process.getBuiltinModule('node:perf_hooks')
  const observer = new PerformanceObserver(() => {
    const spaces = v8().getHeapSpaceStatistics()
    const size = spaces.find(space => space.space_name === 'new_space')?.space_size ?? enoughBytes
    const wanted = size < enoughBytes ? 2 : 1
    if (wanted !== growth) setGrowth((growth = wanted))
  })
  observer.observe({ entryTypes: ['gc'] })
}

/** Asked for when it is used: only a server does, and every command would load it. */
function v8() {
  return process.getBuiltinModule('node:v8')
}

function setGrowth(factor: number): void {
  v8().setFlagsFromString(`--semi-space-growth-factor=${factor}`)
}
