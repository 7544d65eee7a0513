import { allKinds, Namespace } from '../../kinds/index.ts'
import { apiServer } from '../../apiserver/index.ts'
import { startControllers } from '../../control/index.ts'
import { openSqliteStore, undefinedIf } from '../../store/index.ts'
import type { Config } from '../config/sections.ts'
import { houseKeeping, serviceControllers } from '../controllers.ts'
import { hatcheryOf } from '../hatchery/hatchery-of.ts'
import { hatcheryRoutes } from '../hatchery/hatchery-routes.ts'
import { backupPath, removeUnfinishedBackups, sendBackup } from '../http/backup-route.ts'
import { guardedRoute } from '../http/guarded-route.ts'
import { httpsServer } from '../http/https-server.ts'
import { metricsPath, sendMetrics } from '../http/metrics-route.ts'
import type { Ports } from '../ports.ts'
import type { Serving } from '../start-aviary.ts'
import { keepRenewing, servingCertificate } from '../tls/serving-certificate.ts'
import { version } from '../version.ts'
import { embeddedAccess } from './embedded-access.ts'
import { writeLocalKubeconfig } from './local-kubeconfig.ts'

/** What the server keeps in its data folder beside the store: an empty store there means that the database was lost. */
const traces = ['audit', 'kubeconfig', 'tls']

/**
 * The program on one machine: the store in the data folder, the Kubernetes API over it, the controllers beside it. The store comes
 * first, because it alone knows whether the data folder is ours: a second process is turned away before it has touched anything.
 */
export async function startEmbedded(config: Config, ports: Ports, opened: AsyncDisposableStack): Promise<Serving> {
  const { clock, chance, files, log, metrics } = ports
  const { dataDir, listen, tls, stopTimeout } = config.server
  const within = stopTimeout

  const store = await openSqliteStore({ folder: dataDir, kinds: allKinds, clock, chance, log, metrics, traces })
  opened.defer(() => store.close())
  await removeUnfinishedBackups({ folder: dataDir, files })
  await store.create(Namespace, { metadata: { name: 'default' } }).catch(undefinedIf('AlreadyExists'))

  const certificateOptions = { ...ports, dataDir, host: listen.host, tls: { ...tls, names: [...tls.names, ...hostOf(config.server.url)] } }
  const certificate = await servingCertificate(certificateOptions)
  const access = await embeddedAccess(config, ports, store, opened)

  const hatchery = hatcheryOf(config, ports)
  const controllers = [...houseKeeping(allKinds), ...(await serviceControllers(config, ports, hatchery))]
  const running = startControllers({ store, clock, chance, log, metrics, controllers })
  opened.defer(() => running.stop({ within }))
  await running.ready

  const server = httpsServer(certificate, ports)
  const guard = { access, clock, chance, log }
  const checks = [{ name: 'store', check: () => store.checkWritable(), checkAlive: () => store.checkNotFailed() }]
  await server.app.register(apiServer, { ...guard, store, kinds: allKinds, metrics, version, checks })
  guardedRoute(server.app, metricsPath, guard, reply => sendMetrics(metrics, reply))
  guardedRoute(server.app, backupPath, guard, reply => sendBackup({ store, folder: dataDir, files, chance, log }, reply))
  if (hatchery !== undefined) hatcheryRoutes(server.app, guard, hatchery)
  opened.defer(() => server.close({ within }))
  const url = await server.listen(listen)

  const about = { folder: dataDir, url: config.server.url ?? url, withToken: config.access.localAdmin, store, files, clock, chance }
  const kubeconfig = await writeLocalKubeconfig({ ...about, ca: certificate.ca })
  const stopRenewing = keepRenewing(certificateOptions, certificate, async renewed => {
    server.replaceCertificate(renewed)
    // Another certificate may have another authority, and one that vouches for itself has.
    await writeLocalKubeconfig({ ...about, ca: renewed.ca })
  })
  opened.defer(stopRenewing)
  log.info('serving', { url, dataDir, version })
  return { url, kubeconfig, hatchery }
}

function hostOf(url: string | undefined): readonly string[] {
  return url === undefined ? [] : [new URL(url).hostname.replace(/^\[|\]$/g, '')]
}
