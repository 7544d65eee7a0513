import { hasItsDay } from '../../ports/index.ts'

interface Format {
  readonly matches: (text: string) => boolean
  readonly fix: string
  /** True if such texts may be secrets: a message does not repeat them. */
  readonly confidential: boolean
}

/** The text formats that a schema may name and that are checked. Others are hints for readers. */
export const formats: Readonly<Record<string, Format>> = {
  'date-time': { matches: isDateTime, fix: 'write a moment such as 2026-11-15T23:21:43Z', confidential: false },
  byte: { matches: isBase64, fix: 'write base64, as `base64 -w0` prints it', confidential: true },
}

/** Whether texts of that format are checked. */
export function isChecked(format: string | undefined): format is string {
  return format !== undefined && Object.hasOwn(formats, format)
}

const dateTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** RFC 3339, with a day that the month has. */
export function isDateTime(text: string): boolean {
  return dateTime.test(text) && hasItsDay(text)
}

const notBase64 = /[^A-Za-z0-9+/]/

/** Standard base64 with padding; the empty text is no bytes. */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return !notBase64.test(text.slice(0, text.length - padding))
}
