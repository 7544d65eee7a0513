const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** What `&entity;` stands for; undefined if it is none of XML's own and no character that XML can carry. */
export function entityText(entity: string): string | undefined {
  const number = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/.exec(entity)
  if (number === null) return Object.hasOwn(entities, entity) ? entities[entity] : undefined
  const code = number[1] === undefined ? Number(number[2]) : Number.parseInt(number[1], 16)
  return isXmlCharacter(code) ? String.fromCodePoint(code) : undefined
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
