/**
 * The texts of a `Warning` header, of which a server may send several and the HTTP port then makes one:
 * `299 - "unknown field \"spec.flavr\"", 299 - "…"`.
 */
export function warningTexts(header: string | undefined): string[] {
  if (header === undefined) return []
  return [...header.matchAll(oneWarning)].map(([, quoted]) => (quoted as string).replace(/\\(.)/g, '$1'))
}

const oneWarning = /\d{3} \S+ "((?:[^"\\]|\\.)*)"/g
