import { realChance, realClock, realFiles, realProcesses, silentLog } from '../../../src/ports/index.ts'
import type { HttpClient, HttpRequest } from '../../../src/ports/index.ts'
import { kubeAccess, kubeHttp, kubernetesStore } from '../../../src/store/index.ts'
import type { KubernetesLimits, KubernetesStoreOptions, Store } from '../../../src/store/index.ts'

/** A store of the Kubernetes engine over real sockets, and the requests it has made. */
export interface Engine {
  readonly store: Store
  /** `GET /api/v1/…` of each request, as it was sent. */
  readonly requests: string[]
  close(): Promise<void>
}

const clock = realClock()
/** No limit on how often: tests flood on purpose. */
const unlimited: KubernetesLimits = { qps: 0 }

/** An engine that goes the whole way of a user: from a kubeconfig file. */
export async function engineFrom(kubeconfig: string, limits: KubernetesLimits = unlimited): Promise<Engine> {
  const access = await kubeAccess({
    file: kubeconfig,
    files: realFiles(),
    processes: realProcesses(clock),
    environment: process.env,
    clock,
  })
  return engineOver(kubeHttp(access, { clock }), { ...access, limits })
}

/** An engine for a server that asks nobody who they are. */
export function engineAt(server: string, limits: KubernetesLimits = unlimited): Engine {
  const credentials = { origin: 'nobody', headers: async () => ({}), refused: () => false }
  return engineOver(kubeHttp({ trust: async () => noTrust }, { clock }), { server, credentials, limits })
}

function engineOver(
  client: HttpClient,
  { server, credentials, limits }: Required<Pick<KubernetesStoreOptions, 'server' | 'credentials' | 'limits'>>,
): Engine {
  const requests: string[] = []
  const http = counted(client, requests)
  const store = kubernetesStore({ http, server, credentials, clock, chance: realChance(), log: silentLog, limits })
  return {
    store,
    requests,
    async close() {
      await store.close()
      await http.close()
    },
  }
}

const noTrust = {}

function counted(http: HttpClient, requests: string[]): HttpClient {
  const note = ({ method, url }: HttpRequest) => requests.push(`${method} ${url.replace(/^https?:\/\/[^/]+/, '')}`)
  return {
    send: request => (note(request), http.send(request)),
    stream: request => (note(request), http.stream(request)),
    close: () => http.close(),
  }
}
