import { version } from '../version.ts'
import type { ConnectionOptions } from '../connection.ts'
import type { Io } from '../io.ts'

/** `aviary version`: a server that does not answer is no error, because the question was about this program, too. */
export async function run(_args: readonly string[], options: ConnectionOptions & { readonly client?: boolean }, io: Io): Promise<void> {
  io.out(`aviary ${version} (Node ${process.versions.node})\n`)
  if (options.client === true) return
  const [{ connected }, { serverVersion }] = await Promise.all([import('../connection.ts'), import('../server-version.ts')])
  try {
    await connected(options, io, async connection => {
      const found = await serverVersion(connection, io)
      io.out(`server ${found ?? 'of unknown version'} at ${connection.access.server}\n`)
    })
  } catch (error) {
    io.err(`No server answers: ${(error as Error).message}\n`)
  }
}
