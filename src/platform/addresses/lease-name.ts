import { createHash } from 'node:crypto'

/** The name of the lease of an address: one address, one name, so that the store lets only one be made. */
export function leaseName({ platform, network, address }: { platform: string; network: string; address: string }): string {
  return [label(platform), label(network), address.replaceAll('.', '-')].join('.')
}

/** A text as a DNS label. What had to be changed carries a hash, so that no two texts become one. */
function label(text: string): string {
  if (/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(text)) return text
  const plain = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 30)
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 10)
  return plain === '' ? `x-${hash}` : `${plain.replace(/-+$/, '')}-${hash}`
}
