import { readFile, readdir } from 'node:fs/promises'
import type { Clock } from './clock.ts'
import { codeOf } from './text.ts'

/** Milliseconds between being asked to end and being made to. */
const grace = 5000
const [firstPoll, slowestPoll] = [5, 160]

/** Ends every process of a group: asks them to, and after 5 s makes them. Resolves when none runs any more. */
export async function endGroup(group: number, clock: Clock): Promise<void> {
  if (!signalGroup(group, 'SIGTERM')) return
  if (await isGone(group, clock)) return
  signalGroup(group, 'SIGKILL')
  await isGone(group, clock)
}

/** Waits for at most the time of grace. */
async function isGone(group: number, clock: Clock): Promise<boolean> {
  const until = clock.monotonic() + grace
  for (let pause = firstPoll; clock.monotonic() < until; pause = Math.min(2 * pause, slowestPoll)) {
    if (!signalGroup(group, 0) || (await onlyDeadAreLeft(group))) return true
    await clock.sleep(pause)
  }
  return false
}

/** False if no process of the group is there. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal)
    return true
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false
    // EPERM: one that runs as somebody else now (sudo). It is there, and out of reach.
    if (codeOf(error) === 'EPERM') return true
    throw error
  }
}

/**
 * Whether the group has only processes that have ended but that nobody has collected yet: an orphan's new parent may take its
 * time, and in a container it may never do it. Known only where /proc tells.
 */
async function onlyDeadAreLeft(group: number): Promise<boolean> {
  const names = await readdir('/proc').catch(() => [])
  const processes = names.filter(name => /^\d+$/.test(name))
  for (const process of processes) {
    const stat = await readFile(`/proc/${process}/stat`, 'utf8').catch(() => '')
    // PID (COMMAND) STATE PARENT GROUP …; a command may hold anything, also parentheses.
    const [state = 'X', , itsGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (Number(itsGroup) === group && state !== 'Z' && state !== 'X') return false
  }
  return processes.length > 0
}
