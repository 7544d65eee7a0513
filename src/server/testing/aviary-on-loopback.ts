import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  httpClient,
  prometheusMetrics,
  realChance,
  realClock,
  realFiles,
  realProcesses,
  recordingLog,
  realWebSockets,
} from '../../ports/index.ts'
import type { HttpClient, HttpRequest, HttpResponse } from '../../ports/index.ts'
import { kubeAccess, kubeHttp, kubernetesStore } from '../../store/index.ts'
import type { Store } from '../../store/index.ts'
import { loadConfig } from '../config/load-config.ts'
import type { Config } from '../config/sections.ts'
import type { Ports } from '../ports.ts'
import { startAviary } from '../start-aviary.ts'
import type { Aviary } from '../start-aviary.ts'

/** The whole program on real ports, files and time, for tests. Everything it opens is closed with it. */
export interface Loopback {
  /** A folder of this test's own. */
  readonly folder: string
  /** `folder/data` */
  readonly dataDir: string
  readonly log: ReturnType<typeof recordingLog>
  /** Reads a configuration; the data folder is ours and the port any free one unless it says otherwise. */
  config(toml?: string): Promise<Config>
  /** Starts the program, on other ports than the real ones where some are given. */
  start(toml?: string, other?: Partial<Ports>): Promise<Aviary>
  /** A store over a server's API, as the bearer of its kubeconfig. */
  store(aviary: Aviary): Promise<Store>
  /** Sends a request to a server, trusting its own authority only; with the kubeconfig's token, another, or '' for none. */
  send(aviary: Aviary, path: string, request?: Partial<HttpRequest> & { readonly token?: string }): Promise<HttpResponse>
  token(aviary: Aviary): Promise<string>
  /** Closed at the end, before the folder is removed. */
  later(close: () => Promise<unknown>): void
  [Symbol.asyncDispose](): Promise<void>
}

/** Makes a folder and what is needed to start the program in it. */
export async function loopback(): Promise<Loopback> {
  const clock = realClock()
  const chance = realChance()
  const files = realFiles()
  const log = recordingLog()
  const stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'aviary-test-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const dataDir = join(folder, 'data')

  const ports = (): Ports => ({
    clock,
    chance,
    files,
    processes: realProcesses(clock),
    log,
    metrics: prometheusMetrics(),
    environment: {},
    http: trust => httpClient({ clock, trust }),
    webSockets: trust => realWebSockets({ clock, trust }),
    resolve: () => Promise.resolve([]),
  })
  const config = async (toml = '') => {
    const file = join(folder, `${chance.suffix(8)}.toml`)
    await writeFile(file, toml)
    const defaults = [
      { key: 'server.dataDir', value: dataDir, from: 'test' },
      { key: 'server.listen', value: '127.0.0.1:0', from: 'test' },
    ]
    const overrides = defaults.filter(({ key }) => !toml.includes(key.split('.')[1] as string))
    return await loadConfig(file, { files, environment: {}, overrides })
  }
  const start = async (toml?: string, other: Partial<Ports> = {}) => {
    const aviary = await startAviary({ config: await config(toml), ports: { ...ports(), ...other } })
    stack.defer(() => aviary.stop())
    return aviary
  }
  const reach = async ({ kubeconfig }: Aviary) => {
    if (kubeconfig === undefined) throw new Error('this server has no kubeconfig')
    return await kubeAccess({ file: kubeconfig, files, processes: realProcesses(clock), environment: {}, clock })
  }
  const client = async (aviary: Aviary): Promise<HttpClient> => {
    const http = kubeHttp(await reach(aviary), { clock })
    stack.defer(() => http.close())
    return http
  }
  const token = async ({ kubeconfig }: Aviary) => /aviary_local-admin_[\w-]{43}/.exec(await files.read(kubeconfig ?? ''))?.[0] ?? ''

  return {
    folder,
    dataDir,
    log,
    config,
    start,
    token,
    store: async aviary => {
      const { server, credentials } = await reach(aviary)
      const store = kubernetesStore({ http: await client(aviary), server, credentials, clock, chance, log })
      stack.defer(() => store.close())
      return store
    },
    send: async (aviary, path, { token: given, ...request } = {}) => {
      const bearer = given ?? (await token(aviary))
      const authorization = bearer === '' ? {} : { authorization: `Bearer ${bearer}` }
      const http = await client(aviary)
      return await http.send({ method: 'GET', url: `${aviary.url}${path}`, ...request, headers: { ...authorization, ...request.headers } })
    },
    later: close => stack.defer(async () => void (await close())),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
