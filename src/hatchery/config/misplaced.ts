import { isTable } from './key.ts'
import type { Reading } from './reading.ts'

type Table = Readonly<Record<string, unknown>>

/**
 * TOML counts a key to the last header above it. Whoever writes limits and flavors below `[…commonConfiguration.provision]`, as an
 * example in the specification does, means them for the whole hatchery all the same: they are read as if they stood there.
 */
export function withMisplacedKeys(table: Table, belongHere: readonly string[], known: readonly string[], reading: Reading): Table {
  const common = entry(table, 'commonConfiguration')
  const provision = isTable(common?.value) ? entry(common.value, 'provision') : undefined
  if (common === undefined || provision === undefined || !isTable(common.value) || !isTable(provision.value)) return table
  const inProvision = new Set(known.map(name => name.toLowerCase()))
  const moved: Record<string, unknown> = {}
  const stays: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(provision.value)) {
    const right = belongHere.find(each => each.toLowerCase() === name.toLowerCase())
    if (right === undefined || inProvision.has(name.toLowerCase())) {
      stays[name] = value
      continue
    }
    const isThere = entry(table, right) !== undefined
    if (!isThere) moved[right] = value
    reading.warn(
      reading.at('commonConfiguration', 'provision', right),
      isThere
        ? `is ignored: [hatchery.vsphere] has its own ${right}`
        : `belongs to [hatchery.vsphere] and is read as if it stood there: TOML counts a key to the last [header] above it`,
      'move it up, before the first [header] below [hatchery.vsphere]',
    )
  }
  return { ...table, ...moved, [common.name]: { ...common.value, [provision.name]: stays } }
}

function entry(table: Table, name: string): { readonly name: string; readonly value: unknown } | undefined {
  const found = Object.keys(table).find(each => each.toLowerCase() === name.toLowerCase())
  return found === undefined ? undefined : { name: found, value: table[found] }
}
