import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Namespace } from '../../../src/kinds/index.ts'
import { startOwnApi } from '../own-api.ts'

/** Our API server with the namespace `default`, and a kubeconfig that leads there. */
export async function startOwnServer() {
  const { url, store, stop } = await startOwnApi()
  await store.create(Namespace, { metadata: { name: 'default' } })
  const folder = mkdtempSync(join(tmpdir(), 'aviary-own-'))
  const kubeconfig = join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, kubeconfigOf(url))
  return {
    url,
    kubeconfig,
    stop: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'own', cluster: { server } }],
    users: [{ name: 'admin', user: { token: 'any' } }],
    contexts: [{ name: 'own', context: { cluster: 'own', user: 'admin' } }],
    'current-context': 'own',
  })
}
