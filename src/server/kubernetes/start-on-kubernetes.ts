import { formatDuration } from '../../ports/index.ts'
import { AddressLease, Lease, Nest, Spawn } from '../../kinds/index.ts'
import type { Kind } from '../../kinds/index.ts'
import type { Config } from '../config/sections.ts'
import { serviceControllers } from '../controllers.ts'
import { hatcheryOf } from '../hatchery/hatchery-of.ts'
import { httpsServer } from '../http/https-server.ts'
import { metricsPath, sendMetrics } from '../http/metrics-route.ts'
import { poolKinds } from '../pools.ts'
import type { Ports } from '../ports.ts'
import type { Serving } from '../start-aviary.ts'
import { keepRenewing, servingCertificate } from '../tls/serving-certificate.ts'
import { version } from '../version.ts'
import { connectCluster } from './connect-cluster.ts'
import { leadWhenElected } from './lead.ts'

/**
 * The program as one of several replicas over a Kubernetes cluster. The cluster's API server is the door, with the cluster's own
 * rules; here only health and metrics are served, to anybody who can connect.
 */
export async function startOnKubernetes(config: Config, ports: Ports, opened: AsyncDisposableStack): Promise<Serving> {
  const { log, metrics } = ports
  const { dataDir, listen, tls, stopTimeout } = config.server

  const certificateOptions = { ...ports, dataDir, host: listen.host, tls }
  const certificate = await servingCertificate(certificateOptions)
  const cluster = await connectCluster(config.engine, neededKinds(config), ports)
  opened.defer(() => cluster.close())

  const hatchery = hatcheryOf(config, ports)
  const leading = leadWhenElected({
    store: cluster.store,
    controllers: await serviceControllers(config, ports, hatchery),
    settings: config.engine.leaderElection,
    within: stopTimeout,
    ports,
  })
  opened.defer(() => leading.stop())

  const server = httpsServer(certificate, ports)
  for (const path of ['/healthz', '/livez']) server.app.get(path, () => 'ok')
  server.app.get('/readyz', (_, reply) => {
    const silence = leading.silence()
    if (silence <= config.engine.leaderElection.leaseDuration) return 'ok'
    return reply.code(503).send(`the cluster ${cluster.server} has not answered for ${formatDuration(silence - (silence % 1000))}\n`)
  })
  server.app.get('/version', () => ({ version }))
  server.app.get(metricsPath, (_, reply) => sendMetrics(metrics, reply))
  opened.defer(() => server.close({ within: stopTimeout }))
  const url = await server.listen(listen)
  opened.defer(keepRenewing(certificateOptions, certificate, renewed => server.replaceCertificate(renewed)))
  log.info('serving', { url, cluster: cluster.server, version })
  return { url, kubeconfig: undefined, hatchery }
}

/** What must be there and open to us before it makes sense to begin. */
function neededKinds(config: Config): readonly Kind[] {
  return [
    Lease,
    ...(config.demo.enabled ? [Nest] : []),
    ...poolKinds(config),
    ...(config.hatchery.vsphere === undefined ? [] : [Spawn, AddressLease]),
  ]
}
