import { readFileSync } from 'node:fs'

/** What processes hold in memory now, together. */
export function residentBytes(pids: readonly number[]): number {
  return sum(pids, pid => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024)
}

/** The processor time that they have used, in microseconds. It says more than a rate where others use the machine, too. */
export function cpuMicroseconds(pids: readonly number[]): number {
  return sum(pids, pid => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    // Ticks of a hundredth of a second, in user and system mode, as Linux counts them.
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  })
}

function sum(pids: readonly number[], measure: (pid: number) => number): number {
  return pids.reduce((total, pid) => total + measure(pid), 0)
}
