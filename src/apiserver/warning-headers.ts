/** Beyond this, intermediaries may drop the whole answer. */
const maxCharacters = 4096

/** Warnings as header values, in the form that kubectl prints. */
export function warningHeaders(warnings: readonly string[]): readonly string[] {
  const headers: string[] = []
  let left = maxCharacters
  for (const warning of new Set(warnings)) {
    // eslint-disable-next-line no-control-regex -- control characters are exactly what must not get into a header
    const text = warning.replace(/[\u0000-\u001f\u007f]+/g, ' ').replace(/[\\"]/g, String.raw`\$&`)
    left -= text.length
    if (left < 0) break
    // Header values are bytes; this way the other side finds UTF-8 in them.
    headers.push(Buffer.from(`299 - "${text}"`, 'utf8').toString('latin1'))
  }
  return headers
}
