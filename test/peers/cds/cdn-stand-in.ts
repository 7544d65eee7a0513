import { callApi, mustCall } from './call-api.ts'

/** What stands in for the CDN: the API only needs to have heard of one. */
export interface CdnStandIn {
  stop(): void
}

const every = 20_000

/** Signs in as the CDN of the API's configuration, and beats every 20 seconds. */
export async function startCdn(url: string, configuration: string): Promise<CdnStandIn> {
  const section = configuration.slice(configuration.indexOf('\n[cdn]'))
  const token = /token = "(ey[^"]+)"/.exec(section)?.[1]
  const service = {
    name: 'cdn1',
    type: 'cdn',
    http_url: 'http://127.0.0.1:9',
    config: { public_tcp: '127.0.0.1:9', public_http: 'http://127.0.0.1:9' },
  }
  const signIn = async () => {
    const { body } = await mustCall(url, { method: 'POST', path: '/auth/consumer/builtin/signin', body: { token, service } })
    return (body as { readonly token: string }).token
  }
  let session = await signIn()
  const beat = async () => {
    const lines = { now: new Date().toISOString(), lines: [] }
    const { status } = await callApi(url, { method: 'POST', path: '/services/heartbeat', body: lines, token: session })
    if (status >= 300) session = await signIn()
  }
  const timer = setInterval(() => void beat().catch(() => {}), every)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
