/** Does `count` things with `writers` at a time, and tells how that went. */
export async function load(count: number, writers: number, work: (number: number) => Promise<unknown>) {
  const latencies: number[] = []
  let next = 0
  const began = performance.now()
  const used = process.cpuUsage()
  const writer = async () => {
    for (let number = next++; number < count; number = next++) {
      const start = performance.now()
      await work(number)
      latencies.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: writers }, writer))
  const seconds = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage(used)
  return { perSecond: count / seconds, latencies, cpuMicroseconds: (user + system) / count }
}
