import * as z from 'zod'
// Formats are checked by `decode`; here they are refined too, so that zod alone refuses what decode refuses.
import { isBase64, isDateTime } from './decode/formats.ts'
import { durationPattern } from './duration-pattern.ts'

/** A length of time as Go and Kubernetes write it: `90s`, `1h30m`. */
export function duration(): z.ZodString {
  return z.string().regex(new RegExp(durationPattern)).max(64)
}

/** A moment: `2026-11-15T23:21:43Z`. */
export function time(): z.ZodString {
  return z.string().refine(isDateTime, 'not a date and time').meta({ format: 'date-time' })
}

/** Bytes in base64, as the values of a Secret. */
export function bytes(): z.ZodString {
  return z.string().refine(isBase64, 'not base64').meta({ format: 'byte' })
}

/** A number or a text, as Kubernetes takes for ports and percentages: `3` or `30%`. */
export function intOrString(): z.ZodUnion<readonly [z.ZodInt, z.ZodString]> {
  return z.union([z.int(), z.string()])
}

/** An object of which the schema says nothing: it is kept as it is. */
export function anyObject(): z.ZodRecord<z.ZodString, z.ZodUnknown> {
  return z.record(z.string(), z.unknown())
}
