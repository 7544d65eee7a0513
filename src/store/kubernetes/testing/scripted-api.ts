import { Secret, seededChance, silentLog, simulatedHttp, VirtualClock } from '../../../ports/index.ts'
import type { Log } from '../../../ports/index.ts'
import type { Credentials } from '../api-connection.ts'
import { kubernetesStore } from '../kubernetes-store.ts'
import type { KubernetesLimits } from '../kubernetes-store.ts'

type Served = Parameters<Parameters<typeof simulatedHttp>[0]>[0]
type Answer = Awaited<ReturnType<Parameters<typeof simulatedHttp>[0]>>

/** A request as it was seen: `GET /api/v1/…?limit=5`, and its body. */
export interface SeenRequest {
  readonly line: string
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

const someone: Credentials = {
  origin: 'the test',
  headers: async () => ({ authorization: new Secret('Bearer t') }),
  refused: () => false,
}

/** A store whose server is a function, under a virtual clock, that remembers what was asked. */
export function scriptedApi(
  answer: (request: Served, count: number) => Answer | Promise<Answer>,
  { limits = {}, credentials = someone, log = silentLog }: { limits?: KubernetesLimits; credentials?: Credentials; log?: Log } = {},
) {
  const clock = new VirtualClock()
  const seen: SeenRequest[] = []
  const http = simulatedHttp(
    request => {
      const { method, url, headers } = request
      const text = request.text()
      seen.push({
        line: `${method} ${url.pathname}${decodeURIComponent(url.search)}`,
        body: text === '' ? undefined : JSON.parse(text),
        headers,
      })
      return answer(request, seen.length)
    },
    { clock },
  )
  const store = kubernetesStore({ http, server: 'https://api.test:6443/', credentials, clock, chance: seededChance(1), log, limits })
  const lines = () => seen.map(({ line }) => line.replace(/timeoutSeconds=\d+/, 'timeoutSeconds=N'))
  return { store, clock, seen, lines }
}

export function json(body: object, status = 200, headers: Record<string, string> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

export function failed(code: number, reason: string, details: object = { name: 'a' }, headers: Record<string, string> = {}): Answer {
  return json({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: `${reason}!`, reason, code, details }, code, headers)
}

export function nest(name: string, resourceVersion: string, more: object = {}) {
  return {
    apiVersion: 'demo.aviary.dev/v1alpha1',
    kind: 'Nest',
    metadata: { name, namespace: 'a', uid: `uid-${name}`, resourceVersion, managedFields: [{ manager: 'x' }], ...more },
    spec: { eggs: 1, material: 'twig' as const },
  }
}

export function nestList(items: readonly object[], metadata: object): Answer {
  return json({ apiVersion: 'demo.aviary.dev/v1alpha1', kind: 'NestList', metadata, items })
}
