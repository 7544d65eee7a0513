/** CPUs and memory: what VMs have, want or may have. */
export interface Size {
  readonly cpus: number
  readonly memoryMB: number
}

/** How much may be in use. 0: no limit. */
export interface SizeLimits {
  readonly maxCpus: number
  readonly maxMemoryMB: number
  /** CPUs that must stay free beyond what is wanted, so that large VMs do not starve small ones. Only with `maxCpus`. */
  readonly keepCpus?: number
}

/** Why there is no room for one more within the limits; undefined if there is. `used` includes what is on its way. */
export function sizeProblem(wanted: Size, used: Size, { maxCpus, maxMemoryMB, keepCpus = 0 }: SizeLimits): string | undefined {
  if (maxCpus > 0 && used.cpus + wanted.cpus > maxCpus) {
    return `${wanted.cpus} vCPUs are wanted, ${used.cpus} of ${maxCpus} are in use`
  }
  if (maxCpus > 0 && keepCpus > 0 && wanted.cpus + keepCpus > maxCpus - used.cpus) {
    return `${wanted.cpus} vCPUs are wanted and ${keepCpus} are kept for smaller VMs, ${used.cpus} of ${maxCpus} are in use`
  }
  if (maxMemoryMB > 0 && used.memoryMB + wanted.memoryMB > maxMemoryMB) {
    return `${wanted.memoryMB} MB of memory are wanted, ${used.memoryMB} of ${maxMemoryMB} are in use`
  }
  return undefined
}
