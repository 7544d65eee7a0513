import { readdirSync, readFileSync } from 'node:fs'
import { cpuMicroseconds, residentBytes } from '../frame/usage.ts'

/** Milliseconds of processor that a process and its children have used so far. */
export function cpuOf(pid: number): number {
  return cpuMicroseconds(familyOf(pid)) / 1000
}

/** Megabytes that they hold in memory now. */
export function memoryOf(pid: number): number {
  return residentBytes(familyOf(pid)) / 2 ** 20
}

/** A process with all that it has started, directly or not. */
function familyOf(pid: number): readonly number[] {
  const children = (task: string) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return [pid, ...readdirSync(`/proc/${pid}/task`).flatMap(children).flatMap(familyOf)]
}
