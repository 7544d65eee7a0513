import { Resolver } from 'node:dns/promises'

/** Finds the addresses of a host name: empty if there is none of that name. Rejects if no server answers. */
export type ResolveHost = (host: string, signal: AbortSignal) => Promise<readonly string[]>

const noSuchName = new Set(['ENOTFOUND', 'ENODATA'])

/** Asks the machine's DNS servers, for IPv4 and IPv6. */
export function realResolver(): ResolveHost {
  return async (host, signal) => {
    const resolver = new Resolver({ timeout: 5_000, tries: 2 })
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const answers = await Promise.all([resolver.resolve4(host).catch(emptyIfNone), resolver.resolve6(host).catch(emptyIfNone)])
      return answers.flat()
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

function emptyIfNone(error: unknown): readonly string[] {
  if (noSuchName.has((error as { readonly code?: string }).code ?? '')) return []
  throw error
}
