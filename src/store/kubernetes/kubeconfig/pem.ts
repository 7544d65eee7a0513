import { resolve } from 'node:path'
import type { Clock, Files } from '../../../ports/index.ts'
import { KubeconfigNotValid } from './errors.ts'
import { FreshFile } from './fresh-file.ts'
import type { Entry } from './read-kubeconfig.ts'

export interface PemSource {
  /** `FILE, cluster "prod"` */
  readonly where: string
  /** The name of the field that holds a path; the one with `-data` added holds the content itself, in base64, and wins. */
  readonly field: 'certificate-authority' | 'client-certificate' | 'client-key'
}

/** A certificate or key that a kubeconfig holds or points to; undefined if it says nothing. Files are read again as they are renewed. */
export function pem<F extends PemSource['field']>(
  entry: Entry<Readonly<Partial<Record<F | `${F}-data`, string | undefined>>>>,
  { where, field }: PemSource & { readonly field: F },
  system: { readonly files: Files; readonly clock: Clock },
): () => Promise<string | undefined> {
  const data: string | undefined = entry.value[`${field}-data`]
  const path: string | undefined = entry.value[field]
  if (data) {
    const text = checked(Buffer.from(data, 'base64').toString('utf8'), where, `${field}-data`)
    return async () => text
  }
  if (!path) return async () => undefined
  const file = new FreshFile(resolve(entry.folder, path), system)
  return async () => checked(await file.read(), where, field)
}

function checked(text: string, where: string, field: string): string {
  if (text.includes('-----BEGIN ')) return text
  const fix = field.endsWith('-data') ? 'write the PEM file in base64, without line breaks' : 'name a file that holds PEM text'
  throw KubeconfigNotValid({ where, why: `${field} holds no PEM text (-----BEGIN …)`, fix })
}
