import type { Kind } from '../../kinds/index.ts'
import { qualified } from '../errors.ts'
import type { Body } from './body.ts'

/** Turns a Secret's `stringData` into `data`, where it wins over what was there: plain text is for writing only. */
export function mergeSecretData(kind: Kind, body: Body): Body {
  if (qualified(kind) !== 'secrets' || body['stringData'] === undefined) return body
  const { stringData, data, ...rest } = body
  const encoded = Object.entries(stringData as Record<string, string>).map(([name, text]) => [name, Buffer.from(text).toString('base64')])
  return { ...rest, data: { ...(data as object | undefined), ...Object.fromEntries(encoded) } }
}
