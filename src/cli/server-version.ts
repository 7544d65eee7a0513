import type { Connection } from './connection.ts'
import type { Io } from './io.ts'

/** What the server calls itself: `v1.35.0+aviary.0.1.0`; undefined if it does not say. Anybody may ask: no credentials are shown. */
export async function serverVersion({ access, http }: Connection, { signal }: Io): Promise<string | undefined> {
  const answer = await http.send({ method: 'GET', url: `${access.server}/version`, timeout: 3_000, signal })
  return (JSON.parse(answer.text()) as { readonly gitVersion?: string }).gitVersion
}
