import { AccessToken } from '../../kinds/index.ts'
import type { ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import type { Io } from '../io.ts'

/** `aviary token revoke` */
export async function run([name = '']: readonly string[], options: ConnectionOptions, io: Io): Promise<void> {
  await connected(options, io, ({ store }) => store.delete(AccessToken, { name }))
  io.out(`token ${name} revoked\n`)
}
