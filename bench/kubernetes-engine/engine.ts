import { realChance, realClock, realFiles, realProcesses, silentLog } from '../../src/ports/index.ts'
import { kubeAccess, kubeHttp, kubernetesStore } from '../../src/store/index.ts'
import type { Store } from '../../src/store/index.ts'

/** A store of the Kubernetes engine without a limit of its own, as client-go is measured. */
export async function engineFor(kubeconfig: string): Promise<{ readonly store: Store; close(): Promise<void> }> {
  const clock = realClock()
  const access = await kubeAccess({
    file: kubeconfig,
    files: realFiles(),
    processes: realProcesses(clock),
    environment: process.env,
    clock,
  })
  const http = kubeHttp(access, { clock })
  const { server, credentials } = access
  const store = kubernetesStore({ http, server, credentials, clock, chance: realChance(), log: silentLog, limits: { qps: 0 } })
  return {
    store,
    async close() {
      await store.close()
      await http.close()
    },
  }
}
