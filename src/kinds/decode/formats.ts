import { daysIn } from '../../ports/index.ts'

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

const dateTime = /^(\d{4})-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/

/** RFC 3339, with a day that the month has. */
export function isDateTime(text: string): boolean {
  const parts = dateTime.exec(text)
  if (parts === null) return false
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

const notBase64 = /[^A-Za-z0-9+/]/

/** Standard base64 with padding; the empty text is no bytes. */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return !notBase64.test(text.slice(0, text.length - padding))
}
