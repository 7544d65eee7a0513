import { createHash } from 'node:crypto'
import type { ClusterPool } from '../../kinds/index.ts'

/**
 * The way in which versions are computed, a number that is written beside each: if it changes, clusters that were made before are
 * stamped anew instead of being replaced, because nobody can say whether they are stale.
 */
export const versionForm = 1

/** Added when there is an inventory, whatever is in it: its entries come and go without making clusters stale. */
const inventoryMark = 'hasInventory'

/**
 * The version of the recipe that a pool's clusters are made from, as 16 hexadecimal digits. An unclaimed cluster of another
 * version is replaced. Without an inventory it is what it was before there were inventories.
 */
export function poolVersion({
  platform,
  baseDomain,
  imageSetRef,
  installConfigSecretTemplateRef,
  customizationRef,
  inventory,
}: ClusterPool['spec']): string {
  const parts = [platform, baseDomain, imageSetRef, installConfigSecretTemplateRef, customizationRef].map(part => hash(canonical(part)))
  return hash(parts.join('') + (inventory === undefined ? '' : inventoryMark))
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** JSON in which the order of fields does not matter. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`
}
