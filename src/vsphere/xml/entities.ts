const hash = 35
const semicolon = 59
const smallX = 120

const named: readonly (readonly [name: Buffer, code: number])[] = [
  [Buffer.from('lt;'), 60],
  [Buffer.from('gt;'), 62],
  [Buffer.from('amp;'), 38],
  [Buffer.from('quot;'), 34],
  [Buffer.from('apos;'), 39],
]

/**
 * What the entity stands for that begins at an `&`: its code point times 16 plus its length in bytes, so that nothing is made for
 * each of the many in a listing. Below zero if it is none of XML's own five and no character that XML can carry.
 */
export function entityAt(bytes: Uint8Array, begin: number): number {
  if (bytes[begin + 1] === hash) return bytes[begin + 2] === smallX ? numbered(bytes, begin, 3, 16, 6) : numbered(bytes, begin, 2, 10, 7)
  for (const [name, code] of named) {
    let index = 0
    while (index < name.length && bytes[begin + 1 + index] === name[index]) index++
    if (index === name.length) return code * 16 + index + 1
  }
  return -1
}

function numbered(bytes: Uint8Array, begin: number, prefix: number, base: number, mostDigits: number): number {
  let code = 0
  let at = begin + prefix
  for (const most = at + mostDigits; at < most; at++) {
    const digit = digitOf(bytes[at] ?? 0)
    if (digit >= base) break
    code = code * base + digit
  }
  if (at === begin + prefix || bytes[at] !== semicolon || !isXmlCharacter(code)) return -1
  return code * 16 + (at + 1 - begin)
}

function digitOf(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  // Bit 5 is what tells small letters from capitals.
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : 16
}

function isXmlCharacter(code: number): boolean {
  return (
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 32 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff)
  )
}
