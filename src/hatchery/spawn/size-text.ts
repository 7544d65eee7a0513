import type { Flavor } from '../../platform/index.ts'

/** What whoever watches a job reads about the size of its worker. */
export function sizeText(worker: string, flavor: Flavor | undefined): string {
  if (flavor === undefined) return `Worker "${worker}" will use template resources (no flavor)`
  const disk = flavor.diskSizeGB === undefined ? '' : `, ${flavor.diskSizeGB} GB disk`
  return `Worker "${worker}" will use flavor "${flavor.name}" (${flavor.cpus} vCPUs, ${flavor.memoryMB} MB RAM${disk})`
}
