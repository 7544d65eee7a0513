import { FlavorsNotValid, FlavorUnknown } from './errors.ts'

/** A size that a VM can have. */
export interface Flavor {
  readonly name: string
  readonly cpus: number
  readonly memoryMB: number
  /** The first disk is grown to this. Undefined: it stays as the template has it. */
  readonly diskSizeGB?: number
}

/** The sizes that a configuration knows, whatever the case of their names. */
export interface Flavors {
  readonly all: readonly Flavor[]
  find(name: string): Flavor | undefined
  /** The flavor of that name; FlavorUnknown says which there are. */
  get(name: string): Flavor
  /** The fewest CPUs of a flavor that has fewer than this one; undefined if none has. */
  smallerCpus(flavor: Flavor): number | undefined
}

/** Reads the flavors of a configuration: names differ in more than case, sizes are whole and positive. */
export function flavors(given: readonly Flavor[]): Flavors {
  const byName = new Map<string, Flavor>()
  for (const [index, flavor] of given.entries()) {
    const key = flavor.name.toLowerCase()
    const field = `flavors[${index}]`
    if (key === '') throw FlavorsNotValid({ field: `${field}.name`, why: 'it is empty', fix: 'give it a name' })
    if (byName.has(key)) {
      throw FlavorsNotValid({
        field: `${field}.name`,
        why: `"${flavor.name}" is there twice`,
        fix: 'upper and lower case do not count: rename one',
      })
    }
    for (const part of ['cpus', 'memoryMB', 'diskSizeGB'] as const) {
      const value = flavor[part]
      if (value !== undefined && (!Number.isInteger(value) || value < 1)) {
        throw FlavorsNotValid({ field: `${field}.${part}`, why: `${value} is not a whole number above 0`, fix: 'write 1 or more' })
      }
    }
    byName.set(key, Object.freeze({ ...flavor }))
  }
  const all = Object.freeze([...byName.values()])
  const find = (name: string) => byName.get(name.toLowerCase())
  return Object.freeze({
    all,
    find,
    get: (name: string) => {
      const flavor = find(name)
      if (flavor === undefined) throw FlavorUnknown({ flavor: name, known: all.map(each => each.name) })
      return flavor
    },
    smallerCpus: ({ cpus }: Flavor) => {
      const smaller = all.filter(each => each.cpus < cpus).map(each => each.cpus)
      return smaller.length === 0 ? undefined : Math.min(...smaller)
    },
  })
}
