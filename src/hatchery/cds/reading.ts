import { parseTime } from '../../ports/index.ts'

/** An object of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>

/** Reads JSON. A whole number that is too large to be held exactly comes out as the text of its digits. Throws SyntaxError. */
export function parseJson(text: string): unknown {
  // Sixteen digits are rare; only then is it worth looking at every value.
  return /\d{16}/.test(text) ? JSON.parse(text, exactly as never) : JSON.parse(text)
}

function exactly(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  const isLarge = typeof value === 'number' && !Number.isSafeInteger(value)
  return isLarge && context.source !== undefined && /^-?\d+$/.test(context.source) ? context.source : value
}

/** A whole number of any size, given as its digits, for JSON.stringify. */
export function rawNumber(digits: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits)
}

/** An object's fields; none if it is no object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

/** A list; nothing (which Go writes for an empty one) and anything else is empty. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A field's text; a number's digits; empty if it is neither. */
export function textIn(fields: Fields, name: string): string {
  const value = fields[name]
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** A field's number; 0 if it is none. */
export function numberIn(fields: Fields, name: string): number {
  const value = Number(fields[name])
  return Number.isFinite(value) ? value : 0
}

/** Whether a field is true. */
export function flagIn(fields: Fields, name: string): boolean {
  return fields[name] === true
}

/** A field's time in milliseconds since 1970; undefined if it is none, or the one that Go writes for none. */
export function timeIn(fields: Fields, name: string): number | undefined {
  const text = textIn(fields, name)
  if (text === '' || text.startsWith('0001-01-01')) return undefined
  try {
    return parseTime(text)
  } catch {
    return undefined
  }
}

/** The names of the things in a list of named things. */
export function namesIn(fields: Fields, name: string): readonly string[] {
  return listOf(fields[name])
    .map(each => textIn(fieldsOf(each), 'name'))
    .filter(each => each !== '')
}
