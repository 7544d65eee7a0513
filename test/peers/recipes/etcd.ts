import { join } from 'node:path'
import { buildGoProgram, goFor } from '../go.ts'
import { freePorts } from '../free-ports.ts'
import { flags, keep, untilReady } from '../keep.ts'
import { usePeer, type Workbench } from '../set-up.ts'

/** Builds etcd from the Go module proxy. */
export async function build(bench: Workbench): Promise<void> {
  const server = 'go.etcd.io/etcd/server/v3'
  await buildGoProgram(bench, await goFor(bench), { name: 'etcd', module: server, package: server })
}

/** A running etcd of one member. */
export interface Etcd {
  /** Where clients connect, without TLS, on the loopback. */
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** How an etcd for tests differs from one for measurements. */
export interface EtcdOptions {
  /** Whether a write is on the disk before it is answered, as in production. True unless told otherwise. */
  readonly durable?: boolean
}

/** Starts etcd with a data folder of its own, which goes when it stops. */
export async function startEtcd(options: EtcdOptions = {}): Promise<Etcd> {
  const program = await usePeer('etcd')
  const [client, peer] = await freePorts(2)
  const url = `http://127.0.0.1:${client}`
  const peerUrl = `http://127.0.0.1:${peer}`
  const etcd = await keep('etcd', folder => ({
    command: program,
    args: flags({
      name: 'test',
      'data-dir': join(folder, 'data'),
      'log-level': 'warn',
      'quota-backend-bytes': 4 * 2 ** 30,
      'listen-client-urls': url,
      'advertise-client-urls': url,
      'listen-peer-urls': peerUrl,
      'initial-advertise-peer-urls': peerUrl,
      'initial-cluster': `test=${peerUrl}`,
      'unsafe-no-fsync': options.durable === false,
    }),
  }))
  await untilReady(etcd, async () => (await fetch(`${url}/health`)).ok)
  return { url, pid: etcd.pid, stop: () => etcd.stop() }
}
