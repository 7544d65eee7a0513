import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freePorts } from '../free-ports.ts'
import { keep, untilReady } from '../keep.ts'
import { usePeer, type Workbench } from '../set-up.ts'
import { librariesOf, unpackDebian } from './debian.ts'

/** Takes the machine's own PostgreSQL if it has one, else the one of its Debian. */
export async function build(bench: Workbench): Promise<void> {
  const own = newest('/usr/lib/postgresql')
  if (own !== undefined) return symlinkSync(join(own, 'bin'), join(bench.into, 'bin'))
  const [, name = 'postgresql-15'] = /Depends: (postgresql-\d+)$/m.exec(await bench.run('apt-cache', ['depends', 'postgresql'])) ?? []
  await unpackDebian(bench, [name])
  const unpacked = newest(join(bench.into, 'usr/lib/postgresql'))
  if (unpacked === undefined) throw new Error(`the package ${name} holds no programs`)
  symlinkSync(join('usr/lib/postgresql', unpacked.split('/').at(-1) ?? '', 'bin'), join(bench.into, 'bin'))
}

/** The folder of the newest version that has a server. */
function newest(folder: string): string | undefined {
  const versions = existsSync(folder) ? readdirSync(folder).filter(name => existsSync(join(folder, name, 'bin', 'postgres'))) : []
  const latest = versions.toSorted((a, b) => Number(a) - Number(b)).at(-1)
  return latest === undefined ? undefined : join(folder, latest)
}

/** A running PostgreSQL: user and database `postgres`, any password. */
export interface Postgresql {
  readonly port: number
  stop(): Promise<void>
}

/** It refuses to run as root; then it runs as nobody. */
const nobody = 65_534

/** Starts PostgreSQL on a free port of the loopback, with data that goes when it stops. */
export async function startPostgresql(): Promise<Postgresql> {
  const program = await usePeer('postgresql')
  const [port = 0] = await freePorts(1)
  const isRoot = process.getuid?.() === 0
  const server = await keep('postgresql', folder => {
    const peer = dirname(dirname(program))
    let bin = realpathSync(dirname(program))
    const data = join(folder, 'data')
    mkdirSync(data)
    const env = librariesOf(peer)
    if (isRoot) {
      // Nobody must be able to get at both, and the cache lies in root's home.
      chmodSync(folder, 0o755)
      chownSync(data, nobody, nobody)
      if (existsSync(join(peer, 'usr'))) {
        cpSync(peer, join(folder, 'peer'), { recursive: true, verbatimSymlinks: true })
        bin = join(folder, 'peer', 'bin')
        Object.assign(env, librariesOf(join(folder, 'peer')))
      }
    }
    const as = (command: string, ...args: string[]): [string, ...string[]] => {
      const user = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] as const
      return isRoot ? [...user, command, ...args] : [command, ...args]
    }
    const [command, ...args] = as(join(bin, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale')
    execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } })
    const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: data, fsync: 'off', jit: 'off' }
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const [start, ...startArgs] = as(join(bin, 'postgres'), '-D', data, ...options)
    return { command: start, args: startArgs, env }
  })
  await untilReady(server, async () => server.output().includes('ready to accept connections'))
  return { port, stop: () => server.stop() }
}
