import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { EtcdClient } from './etcd-client.ts'

/** An etcd that runs. */
export interface EtcdServer {
  readonly address: string
  /** Microseconds of processor time since its start; 0 where that cannot be read. */
  cpuMicroseconds(): number
  stop(): Promise<void>
}

/** The path of etcd: from AVIARY_ETCD, else from the peers' cache, where it is built if it is missing. */
export function etcdProgram(): string {
  const given = process.env['AVIARY_ETCD']
  if (given !== undefined) return given
  const run = fileURLToPath(new URL('../../run.mjs', import.meta.url))
  const printed = execFileSync(process.execPath, [run, 'peer', 'etcd'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  return printed.trimEnd().split('\n').at(-1)!
}

/** Which etcd it is. */
export function etcdVersion(program: string): string {
  return /etcd Version: (\S+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[1] ?? 'unknown'
}

/** Starts a single etcd as it is by default, with room for large data, and waits until it answers. */
export async function startEtcd(program: string, folder: string): Promise<EtcdServer> {
  const [client, peer] = await Promise.all([freePort(), freePort()])
  const address = `127.0.0.1:${client}`
  const child = spawn(
    program,
    [
      ['--data-dir', folder],
      ['--listen-client-urls', `http://${address}`],
      ['--advertise-client-urls', `http://${address}`],
      ['--listen-peer-urls', `http://127.0.0.1:${peer}`],
      ['--initial-advertise-peer-urls', `http://127.0.0.1:${peer}`],
      ['--initial-cluster', `default=http://127.0.0.1:${peer}`],
      ['--quota-backend-bytes', String(8 * 2 ** 30)],
      ['--log-level', 'panic'],
    ].flat(),
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  await answers(address)
  return {
    address,
    cpuMicroseconds: () => cpuOf(child.pid!),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function answers(address: string): Promise<void> {
  const client = new EtcdClient(address)
  try {
    for (let tries = 0; ; tries++) {
      try {
        await client.get('/none')
        return
      } catch (error) {
        if (tries === 100) throw error
        await new Promise(resolve => setTimeout(resolve, 100))
      }
    }
  } finally {
    client.close()
  }
}

/** Ticks of a hundredth of a second, in user and system mode, as Linux counts them. */
function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  } catch {
    return 0
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
