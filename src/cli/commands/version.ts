import { version } from '../version.ts'
import type { ConnectionOptions } from '../connection.ts'
import type { Io } from '../io.ts'

/** `aviary version`: a server that does not answer is no error, because the question was about this program, too. */
export async function run(_args: readonly string[], options: ConnectionOptions & { readonly client?: boolean }, io: Io): Promise<void> {
  io.out(`aviary ${version} (Node ${process.versions.node})\n`)
  if (options.client === true) return
  const { connected } = await import('../connection.ts')
  try {
    await connected(options, io, async ({ access, http }) => {
      const answer = await http.send({ method: 'GET', url: `${access.server}/version`, timeout: 3_000, signal: io.signal })
      const { gitVersion } = JSON.parse(answer.text()) as { readonly gitVersion?: string }
      io.out(`server ${gitVersion ?? 'of unknown version'} at ${access.server}\n`)
    })
  } catch (error) {
    io.err(`No server answers: ${(error as Error).message}\n`)
  }
}
