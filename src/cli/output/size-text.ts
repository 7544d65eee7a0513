/** Memory as people say it: 4 GB, 1536 MB. */
export function memoryText(megabytes: number): string {
  return megabytes >= 1024 && megabytes % 512 === 0 ? `${megabytes / 1024} GB` : `${megabytes} MB`
}

/** CPUs and memory of a VM: `2 CPU, 4 GB`. Empty if it has none. */
export function sizeText(cpus: number | undefined, memoryMB: number | undefined): string {
  return cpus === undefined || memoryMB === undefined ? '' : `${cpus} CPU, ${memoryText(memoryMB)}`
}
