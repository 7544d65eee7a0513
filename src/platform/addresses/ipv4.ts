const whole = 2 ** 32

/** An address as a number; undefined if the text is none. Only plain decimal: what starts with 0 means octal elsewhere. */
export function parseIpv4(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1)
  if (parts === undefined) return undefined
  if (parts.some(part => Number(part) > 255 || (part.length > 1 && part.startsWith('0')))) return undefined
  return parts.reduce((number, part) => number * 256 + Number(part), 0)
}

/** A number as an address. */
export function formatIpv4(number: number): string {
  return [24, 16, 8, 0].map(bits => (number >>> bits) & 255).join('.')
}

/** How many addresses share a prefix of so many bits. */
export function sizeOfPrefix(bits: number): number {
  return 2 ** (32 - bits)
}

/** The first address of the block that an address is in. Numbers, not bit operations: those are signed. */
export function firstOfBlock(address: number, bits: number): number {
  const size = sizeOfPrefix(bits)
  return address - (address % size)
}

/** The prefix length that a mask stands for; undefined if it is no mask. */
export function prefixOfMask(mask: string): number | undefined {
  const number = parseIpv4(mask)
  if (number === undefined) return undefined
  const bits = Math.log2(whole - number)
  return Number.isInteger(bits) ? 32 - bits : undefined
}
