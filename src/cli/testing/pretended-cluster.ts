import { fastify } from 'fastify'

/** A Kubernetes API as far as a test needs it, on a port of this machine. */
export interface PretendedCluster {
  readonly url: string
  /** What was asked: `POST /apis/…`. */
  readonly asked: string[]
  close(): Promise<void>
}

/** Serves what `answer` gives for `METHOD path`, and a NotFound for the rest. */
export async function pretendedCluster(
  answer: (request: string, body: unknown) => object | undefined = () => undefined,
): Promise<PretendedCluster> {
  const asked: string[] = []
  const app = fastify()
  app.all('*', (request, reply) => {
    const line = `${request.method} ${request.url.split('?')[0]}`
    asked.push(line)
    const found = answer(line, request.body)
    return found ?? reply.code(404).send({ kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404, details: { name: 'it' } })
  })
  return { url: await app.listen({ host: '127.0.0.1', port: 0 }), asked, close: () => app.close() }
}

/** A kubeconfig with a context for each server, in the namespace of the same name; the first is the current one. */
export function kubeconfigText(servers: Readonly<Record<string, string>>): string {
  const names = Object.keys(servers)
  return JSON.stringify({
    clusters: names.map(name => ({ name, cluster: { server: servers[name] } })),
    contexts: names.map(name => ({ name, context: { cluster: name, user: 'me', namespace: name } })),
    users: [{ name: 'me', user: {} }],
    'current-context': names[0],
  })
}
