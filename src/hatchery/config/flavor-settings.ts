import { type Flavor, type Flavors, flavors } from '../../platform/index.ts'
import { nearest } from '../../ports/index.ts'
import type { Reading } from './reading.ts'
import type { Values } from './table.ts'
import type { vsphereKeys } from './keys.ts'
import type { ValuePath } from './setting-problem.ts'

type Keys = Values<typeof vsphereKeys>

/** The flavors of the configuration: names differ in more than case, sizes are positive. Reports all that are not so. */
export function flavorSettings(keys: Keys, reading: Reading): Flavors {
  const good: Flavor[] = []
  for (const { at, values } of keys.flavors) {
    const { name = '', cpus, memoryMB, diskSizeGB } = values
    const said = reading.problems.length
    if (name === '') reading.problem({ at: [...at, 'name'] }, 'is missing', 'give the flavor a name')
    if (good.some(other => other.name.toLowerCase() === name.toLowerCase())) {
      reading.problem({ at: [...at, 'name'] }, `"${name}" is there twice`, 'upper and lower case do not count: rename one')
    }
    for (const [key, value] of [['cpus', cpus] as const, ['memoryMB', memoryMB] as const]) {
      if (value < 1) reading.problem({ at: [...at, key] }, 'must be 1 or more', `say how much a VM of flavor "${name}" gets`)
    }
    if (keys.maxCpus > 0 && cpus > keys.maxCpus) {
      reading.warn({ at: [...at, 'cpus'] }, `no VM of flavor "${name}" can start: maxCpus is ${keys.maxCpus}`, 'raise maxCpus')
    }
    if (keys.maxMemoryMB > 0 && memoryMB > keys.maxMemoryMB) {
      reading.warn(
        { at: [...at, 'memoryMB'] },
        `no VM of flavor "${name}" can start: maxMemoryMB is ${keys.maxMemoryMB}`,
        'raise maxMemoryMB',
      )
    }
    if (reading.problems.length === said) good.push({ name, cpus, memoryMB, ...(diskSizeGB > 0 ? { diskSizeGB } : {}) })
  }
  const known = flavors(good)
  if (keys.defaultFlavor !== undefined) {
    checkFlavor(keys.defaultFlavor, reading.at('defaultFlavor').at, keys, reading)
  }
  return known
}

/** Reports a name that no flavor has. */
export function checkFlavor(name: string, at: ValuePath, keys: Keys, reading: Reading): void {
  const names = keys.flavors.flatMap(({ values }) => values.name ?? [])
  if (names.some(each => each.toLowerCase() === name.toLowerCase())) return
  const meant = nearest(name, names)
  const fix =
    meant !== undefined
      ? `did you mean "${meant}"?`
      : names.length === 0
        ? `add [[hatchery.vsphere.flavors]] with name = "${name}"`
        : `use one of ${names.join(', ')}, or add [[hatchery.vsphere.flavors]] with name = "${name}"`
  reading.problem({ at }, `there is no flavor "${name}"`, fix)
}
