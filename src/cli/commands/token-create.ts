import { isoTime, parseDuration } from '../../ports/index.ts'
import { AccessToken } from '../../kinds/index.ts'
import { newToken } from '../../access/index.ts'
import type { ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import type { Io } from '../io.ts'

interface TokenOptions extends ConnectionOptions {
  readonly user: string
  readonly group: readonly string[]
  readonly expires?: string
  readonly description?: string
}

/** `aviary token create`: the token is made here and only its hash is sent, so the server never has it. */
export async function run([name = '']: readonly string[], options: TokenOptions, io: Io): Promise<void> {
  const expires = options.expires === undefined ? {} : { expires: isoTime(io.clock.now() + parseDuration(options.expires)) }
  const description = options.description === undefined ? {} : { description: options.description }
  const { text, hash } = newToken(name, io.chance)
  await connected(options, io, async ({ store }) => {
    await store.create(AccessToken, {
      metadata: { name },
      spec: { hash, user: options.user, groups: options.group, ...expires, ...description },
    })
  })
  io.out(`${text.reveal()}\n`)
  io.err(`The token of ${options.user}. It is shown this once; aviary token revoke ${name} ends it.\n`)
}
