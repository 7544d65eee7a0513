import { readFileSync } from 'node:fs'

/**
 * Begins to look at what the host of a virtual machine gives to its others. The function it returns gives the share of the processor
 * time that was wanted here since then and not given; undefined where the system does not count it.
 */
export function watchStolen(): () => number | undefined {
  const before = ticks()
  return () => {
    const now = ticks()
    if (before === undefined || now === undefined) return undefined
    const stolen = now.stolen - before.stolen
    const wanted = stolen + now.used - before.used
    return wanted > 0 ? stolen / wanted : 0
  }
}

function ticks(): { readonly used: number; readonly stolen: number } | undefined {
  try {
    const [user, nice, system, , , irq, softIrq, stolen] = readFileSync('/proc/stat', 'utf8')
      .split('\n')[0]!
      .split(/\s+/)
      .slice(1)
      .map(Number)
    return { used: user! + nice! + system! + irq! + softIrq!, stolen: stolen! }
  } catch {
    return undefined
  }
}
