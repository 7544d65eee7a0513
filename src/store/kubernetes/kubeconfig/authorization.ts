import { resolve } from 'node:path'
import { Secret } from '../../../ports/index.ts'
import type { Clock, Files } from '../../../ports/index.ts'
import type { Credentials, Headers } from '../api-connection.ts'
import { KubeconfigNotSupported, KubeconfigNotValid } from './errors.ts'
import type { ExecPlugin } from './exec-plugin.ts'
import { FreshFile } from './fresh-file.ts'
import type { UserEntry } from './kubeconfig-file.ts'
import type { Entry } from './read-kubeconfig.ts'

/** Where the headers that name a user come from. */
export type Authorization = Omit<Credentials, 'origin'>

export interface AuthorizationOptions {
  /** `FILE, user "admin"` */
  readonly where: string
  readonly plugin: ExecPlugin | undefined
  readonly files: Files
  readonly clock: Clock
}

/** The Authorization header of a user, if it needs one besides a client certificate, and whom it speaks for. */
export function authorization(user: Entry<UserEntry>, { where, plugin, files, clock }: AuthorizationOptions): Authorization {
  const { token, tokenFile, username, password } = user.value
  const more = impersonation(user.value, where)
  if (plugin !== undefined) {
    return renewed({ read: async () => (await plugin.credential()).token?.reveal(), forget: () => plugin.forget() }, more)
  }
  if (tokenFile) return tokenFromFile(new FreshFile(resolve(user.folder, tokenFile), { files, clock }), where, more)
  if (token) return fixed({ ...bearer(token), ...more })
  if (!username) return fixed(more)
  const pair = Buffer.from(`${username}:${password ?? ''}`).toString('base64')
  return fixed({ authorization: new Secret(`Basic ${pair}`), ...more })
}

/** A token that somebody else renews in a file. */
export function tokenFromFile(file: FreshFile, where: string, more: Headers = {}): Authorization {
  const read = async () => {
    const token = (await file.read()).trim()
    if (token === '') throw KubeconfigNotValid({ where, why: 'the token file is empty' })
    return token
  }
  return renewed({ read, forget: () => file.forget() }, more)
}

function fixed(headers: Headers): Authorization {
  return { headers: async () => headers, refused: () => false }
}

/** A token that may be another one the next time. */
function renewed(source: { read(): Promise<string | undefined>; forget(): void }, more: Headers): Authorization {
  let last: { readonly token: string | undefined; readonly headers: Headers } | undefined
  return {
    async headers() {
      const token = await source.read()
      if (last === undefined || last.token !== token) last = { token, headers: { ...(token === undefined ? {} : bearer(token)), ...more } }
      return last.headers
    },
    refused(headers) {
      // Of many requests that were refused with one token, only the first may throw it away: the others would hit its successor.
      if (headers === last?.headers) source.forget()
      return true
    },
  }
}

function bearer(token: string): Headers {
  return { authorization: new Secret(`Bearer ${token}`) }
}

/** Whom the user speaks for. */
function impersonation(user: UserEntry, where: string): Headers {
  const { as, 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra } = user
  const headers: Record<string, string> = {}
  if (as) headers['impersonate-user'] = as
  if (uid) headers['impersonate-uid'] = uid
  // A header of the HTTP port has one value, and API servers do not split it at commas.
  const only = (values: readonly string[], what: string) => {
    if (values.length < 2) return values
    throw KubeconfigNotSupported({
      where,
      what: `${what} has ${values.length} values, one is supported`,
      fix: 'impersonate a user that is in these groups by itself',
    })
  }
  for (const group of only(groups ?? [], 'as-groups')) headers['impersonate-group'] = group
  for (const [key, values] of Object.entries(extra ?? {})) {
    for (const value of only(values, `as-user-extra.${key}`)) headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`] = value
  }
  return headers
}
