import { join } from 'node:path'
import { Secret } from '../../ports/index.ts'
import type { Chance, Clock, Files } from '../../ports/index.ts'
import { AccessToken } from '../../kinds/index.ts'
import { issueToken, parseToken, proves, tokenEnd } from '../../access/index.ts'
import { undefinedIf } from '../../store/index.ts'
import type { Store } from '../../store/index.ts'

/** The AccessToken of the person who started the server. */
const localAdmin = 'local-admin'
const tokenInFile = /aviary_local-admin_[A-Za-z0-9_-]{43}/

/** What stands in the kubeconfig, and where it goes. */
export interface LocalKubeconfigOptions {
  readonly folder: string
  readonly url: string
  /** PEM; undefined if the system's authorities will do. */
  readonly ca: string | undefined
  /** False: no token in the file, and none from an earlier start stays good. */
  readonly withToken: boolean
  readonly store: Store
  readonly files: Files
  readonly clock: Clock
  readonly chance: Chance
}

/**
 * Writes `kubeconfig` into the data folder: the way in for kubectl and the CLI. The administrator's token in it is kept as long as
 * it is good, and stands nowhere else; who removes the file gets another token at the next start, and the old one is worth
 * nothing. Resolves to the file's path.
 */
export async function writeLocalKubeconfig(options: LocalKubeconfigOptions): Promise<string> {
  const { folder, files, url, ca } = options
  const file = join(folder, 'kubeconfig')
  const present = await files.readIfThere(file)
  const token = options.withToken ? ((await goodToken(present, options)) ?? (await freshToken(options))) : await noToken(options)
  const text = kubeconfig({ url, ca, token })
  // The mode is set again even if nothing else changed: somebody may have opened the file to all.
  await files.write(file, text, { mode: 0o600 })
  return file
}

/** The token of an earlier start, if it still opens the door. */
async function goodToken(text: string | undefined, { store, clock }: LocalKubeconfigOptions): Promise<Secret | undefined> {
  const [found] = tokenInFile.exec(text ?? '') ?? []
  const proof = found === undefined ? undefined : parseToken(found)?.proof
  const kept = await store.get(AccessToken, { name: localAdmin }).catch(undefinedIf('NotFound'))
  if (found === undefined || proof === undefined || kept === undefined || tokenEnd(kept) <= clock.now()) return undefined
  return proves(proof, kept.spec.hash) ? new Secret(found) : undefined
}

async function freshToken({ store, chance }: LocalKubeconfigOptions): Promise<Secret> {
  const description = 'The person who started the server; the token is in the kubeconfig of the data folder.'
  return await issueToken({ name: localAdmin, user: 'admin', groups: ['system:masters'], description }, { store, chance })
}

async function noToken({ store }: LocalKubeconfigOptions): Promise<undefined> {
  await store.delete(AccessToken, { name: localAdmin }).catch(undefinedIf('NotFound'))
}

/** Text that kubectl reads: JSON is YAML, and our own command line reads it without a library. */
function kubeconfig({ url, ca, token }: { url: string; ca: string | undefined; token: Secret | undefined }): string {
  const authority = ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'aviary',
    clusters: [{ name: 'aviary', cluster: { server: url, ...authority } }],
    users: [{ name: 'aviary-admin', user: token === undefined ? {} : { token: token.reveal() } }],
    contexts: [{ name: 'aviary', context: { cluster: 'aviary', user: 'aviary-admin', namespace: 'default' } }],
  }
  return `${JSON.stringify(content, null, 2)}\n`
}
