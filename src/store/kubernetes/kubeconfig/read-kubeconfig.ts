import { dirname } from 'node:path'
import type { Files } from '../../../ports/index.ts'
import { KubeconfigNotFound, KubeconfigNotValid } from './errors.ts'
import { kubeconfigFile } from './kubeconfig-file.ts'
import type { ClusterEntry, ContextEntry, UserEntry } from './kubeconfig-file.ts'

/** An entry together with the file that it stands in: paths in it count from that file's folder. */
export interface Entry<T> {
  readonly value: T
  readonly file: string
  readonly folder: string
}

export interface Kubeconfig {
  /** The files that were there. */
  readonly files: readonly string[]
  readonly currentContext: string | undefined
  readonly contexts: ReadonlyMap<string, Entry<ContextEntry>>
  readonly clusters: ReadonlyMap<string, Entry<ClusterEntry>>
  readonly users: ReadonlyMap<string, Entry<UserEntry>>
}

/**
 * Reads several kubeconfig files as one. The first file that says something about a name, or what the current context is, wins.
 * A file that is missing is passed over, as kubectl does, but not all of them may be.
 */
export async function readKubeconfig(files: Files, paths: readonly string[]): Promise<Kubeconfig> {
  const found: string[] = []
  let currentContext: string | undefined
  const contexts = new Map<string, Entry<ContextEntry>>()
  const clusters = new Map<string, Entry<ClusterEntry>>()
  const users = new Map<string, Entry<UserEntry>>()
  for (const file of paths) {
    const text = await files.readIfThere(file)
    if (text === undefined) continue
    found.push(file)
    const config = checked(file, await parsed(file, text))
    const entry = <T>(value: T): Entry<T> => ({ value, file, folder: dirname(file) })
    currentContext ||= config['current-context']
    for (const { name, context } of config.contexts ?? []) addFirst(contexts, name, entry(context))
    for (const { name, cluster } of config.clusters ?? []) addFirst(clusters, name, entry(cluster))
    for (const { name, user } of config.users ?? []) addFirst(users, name, entry(user ?? {}))
  }
  if (found.length === 0) throw KubeconfigNotFound({ looked: paths })
  return { files: found, currentContext, contexts, clusters, users }
}

function addFirst<T>(map: Map<string, T>, name: string, value: T): void {
  if (!map.has(name)) map.set(name, value)
}

/** YAML, or JSON, which is YAML too but needs no library: our own server writes its kubeconfig so, and the command line is quicker for it. */
async function parsed(file: string, text: string): Promise<unknown> {
  const json = text.startsWith('{') ? parsedJson(text) : undefined
  if (json !== undefined) return json
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text)
  const [error] = document.errors
  if (error !== undefined) {
    const line = error.linePos?.[0].line
    throw KubeconfigNotValid({ where: line === undefined ? file : `${file}:${line}`, why: error.message.split('\n', 1)[0] as string })
  }
  return document.toJS()
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function checked(file: string, content: unknown) {
  // Not compiled: that takes longer than to read one file.
  const { success, data, error: wrong } = kubeconfigFile.safeParse(content ?? {}, { jitless: true })
  if (success) return data
  const [issue] = wrong.issues
  const path = issue?.path
    .map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '')
  if (!path)
    throw KubeconfigNotValid({ where: file, why: 'this is no kubeconfig', fix: 'name one with --kubeconfig FILE or KUBECONFIG=FILE' })
  throw KubeconfigNotValid({ where: file, why: `${path}: ${issue?.message}` })
}
