import { isPlainObject } from './copy-json.ts'

/** Enough of a value to recognise it. */
const longestValue = 1_000

/** A value as Kubernetes prints it in a message: texts quoted, numbers and truth values plain, the rest as JSON; long ones cut off. */
export function goValue(value: unknown): string {
  if (typeof value === 'string') return value.length <= longestValue ? goQuote(value) : `${goQuote(value.slice(0, longestValue))}…`
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return cutOff(goJson(value))
}

/** A text of a message, cut off where it becomes too long to be read. */
export function cutOff(text: string): string {
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}…`
}

/** A value as Go prints it without being asked for a form: `[1 2]`, `map[a:1]`. */
export function goPrint(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goPrint).join(' ')}]`
  if (!isPlainObject(value)) return value === null ? '<nil>' : `${value as string | number | boolean}`
  const entries = Object.entries(sorted(value)).map(([key, inner]) => `${key}:${goPrint(inner)}`)
  return `map[${entries.join(' ')}]`
}

const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/
const named: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}
const special = /["\\]|[^\P{C}]|[^\P{Z} ]/gu

/** A text in Go's quotes: what can be printed stands as it is, the rest as escapes. */
export function goQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`
  return `"${text.replace(special, character => named[character] ?? escaped(character.codePointAt(0)!))}"`
}

function escaped(code: number): string {
  const hex = code.toString(16)
  if (code < 0x80) return `\\x${hex.padStart(2, '0')}`
  return code < 0x1_0000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

/** JSON as Go writes it: keys sorted, and what HTML minds escaped. */
function goJson(value: unknown): string {
  const text = JSON.stringify(value, (_key, inner: unknown) => (isPlainObject(inner) ? sorted(inner) : inner)) ?? 'null'
  return text.replace(/[<>&\u2028\u2029]/g, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
