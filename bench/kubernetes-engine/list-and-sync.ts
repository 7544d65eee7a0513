import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Namespace, Nest } from '../../src/kinds/index.ts'
import { realClock } from '../../src/ports/index.ts'
import { installCrds } from '../../src/store/index.ts'
import { engineFrom } from '../../test/peers/kubernetes-engine/engine.ts'

/** One sync of an informer, in a process of its own. */
export interface Sync {
  readonly objects: number
  readonly milliseconds: number
  readonly cpuMilliseconds: number
  readonly residentBytes: number
}

export interface ListAndSync {
  readonly objects: number
  /** Medians of interleaved rounds. */
  readonly engine: Sync
  readonly clientGo: Sync
  /** Engine over client-go: below 1 is better. */
  readonly ratios: { readonly time: number; readonly cpu: number; readonly memory: number }
}

export interface ListAndSyncOptions {
  /** Of an API server that may be filled with objects. */
  readonly kubeconfig: string
  /** The program of client-go/, built. */
  readonly clientGo: string
  readonly objects?: number
  readonly rounds?: number
}

const execute = promisify(execFile)

/** Lists and syncs the same objects by turns with client-go and with the engine. */
export async function run({ kubeconfig, clientGo, objects = 10_000, rounds = 5 }: ListAndSyncOptions): Promise<ListAndSync> {
  await fill(kubeconfig, objects)
  const theirs: Sync[] = []
  const ours: Sync[] = []
  const script = fileURLToPath(new URL('sync.ts', import.meta.url))
  for (let round = 0; round < rounds; round++) {
    theirs.push(await measured(clientGo, [kubeconfig, Nest.group, Nest.version, Nest.plural], objects))
    ours.push(await measured(process.execPath, ['--expose-gc', script, kubeconfig], objects))
  }
  const engine = median(ours)
  const peer = median(theirs)
  const ratios = {
    time: engine.milliseconds / peer.milliseconds,
    cpu: engine.cpuMilliseconds / peer.cpuMilliseconds,
    memory: engine.residentBytes / peer.residentBytes,
  }
  return { objects, engine, clientGo: peer, ratios }
}

/** Makes the objects: about 1 KB each as the server sends them. */
async function fill(kubeconfig: string, objects: number): Promise<void> {
  const { store, close } = await engineFrom(kubeconfig)
  await installCrds({ store, kinds: [Nest], version: '0.0.0', clock: realClock() })
  const { name: namespace } = (await store.create(Namespace, { metadata: { generateName: 'bench-' } })).metadata
  const annotations = { note: '0123456789abcdef'.repeat(32) }
  let next = 0
  const worker = async () => {
    while (next < objects) {
      const name = `nest-${String(next++).padStart(6, '0')}`
      await store.create(Nest, { metadata: { namespace, name, annotations, labels: { all: 'yes' } }, spec: { eggs: 3, material: 'moss' } })
    }
  }
  await Promise.all(Array.from({ length: 32 }, worker))
  await close()
}

async function measured(command: string, args: readonly string[], objects: number): Promise<Sync> {
  const { stdout } = await execute(command, args)
  const sync = JSON.parse(stdout) as Sync
  if (sync.objects !== objects) throw new Error(`${command} saw ${sync.objects} objects instead of ${objects}`)
  return sync
}

function median(syncs: readonly Sync[]): Sync {
  const middle = (pick: (sync: Sync) => number) => syncs.map(pick).toSorted((a, b) => a - b)[Math.floor(syncs.length / 2)] ?? 0
  return {
    objects: middle(({ objects }) => objects),
    milliseconds: middle(({ milliseconds }) => milliseconds),
    cpuMilliseconds: middle(({ cpuMilliseconds }) => cpuMilliseconds),
    residentBytes: middle(({ residentBytes }) => residentBytes),
  }
}
