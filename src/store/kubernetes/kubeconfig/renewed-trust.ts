import { Secret } from '../../../ports/index.ts'
import type { TlsTrust } from '../../../ports/index.ts'

type Found = { readonly [K in keyof TlsTrust]: TlsTrust[K] | undefined }

/** A trust that is read each time; who asks gets the object of the last time as long as the new one says the same. */
export function renewedTrust(read: () => Promise<Found>): () => Promise<TlsTrust> {
  let last: TlsTrust = {}
  return async () => {
    const next = await read()
    const same = (['ca', 'serverName', 'certificate', 'key'] as const).every(field => revealed(next[field]) === revealed(last[field]))
    if (!same) last = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined))
    return last
  }
}

function revealed(value: string | Secret | undefined): string | undefined {
  return value instanceof Secret ? value.reveal() : value
}
