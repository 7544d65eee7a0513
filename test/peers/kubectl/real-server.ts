import { execFileSync } from 'node:child_process'
import { request } from 'node:https'
import { crd, Nest } from '../../../src/kinds/index.ts'
import { startKubeApiserver, usePeer } from '../peer.ts'

/** A real kube-apiserver that serves nests. */
export async function startRealServer() {
  const server = await startKubeApiserver()
  try {
    const kubectl = await usePeer('kubectl')
    const run = (args: readonly string[], input = '') =>
      execFileSync(kubectl, args, { env: { ...process.env, KUBECONFIG: server.kubeconfig }, input, stdio: ['pipe', 'ignore', 'inherit'] })
    run(['create', '-f', '-'], JSON.stringify(crd(Nest)))
    run(['wait', '--for=condition=Established', 'crd/nests.demo.aviary.dev', '--timeout=30s'])
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** Sends one request to the real server, exactly as it is given. */
export function send(
  server: Awaited<ReturnType<typeof startRealServer>>,
  { method, path, body, headers = {} }: { method: string; path: string; body?: unknown; headers?: Readonly<Record<string, string>> },
): Promise<{ readonly status: number; readonly warning: string | undefined; readonly text: string }> {
  const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const { hostname, port } = new URL(server.url)
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; warning: string | undefined; text: string }>()
  const type = payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }
  const options = {
    hostname,
    port,
    method,
    path,
    ca: server.ca,
    headers: { authorization: `Bearer ${server.adminToken}`, ...type, ...headers },
  }
  request(options, response => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    response.on('end', () => resolve({ status: response.statusCode ?? 0, warning: response.headers['warning'], text }))
  })
    .on('error', reject)
    .end(payload)
  return promise
}
