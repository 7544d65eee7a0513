import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePorts } from '../free-ports.ts'
import { keep, type Kept, untilReady } from '../keep.ts'
import { startPostgresql } from '../recipes/postgresql.ts'
import { startRedis } from '../recipes/redis.ts'
import { usePeer } from '../set-up.ts'
import { callApi, mustCall } from './call-api.ts'
import { type CdnStandIn, startCdn } from './cdn-stand-in.ts'

const run = promisify(execFile)

/** A running CDS API with an administrator. */
export interface RealCds {
  readonly url: string
  /** The administrator's session. */
  readonly admin: string
  /** The API's own configuration, which `v2enqueue` needs. */
  readonly configuration: string
  /** The folder with `engine` and `v2enqueue`. */
  readonly programs: string
  /** The port of its PostgreSQL. */
  readonly database: number
  /** What the API has logged so far. */
  log(): string
  stop(): Promise<void>
}

/**
 * Starts the real CDS API on the loopback with a PostgreSQL and a Redis of its own, makes the first administrator, and says that
 * there is a CDN. About 20 seconds. Nothing outlives the test run.
 */
export async function startCds(): Promise<RealCds> {
  const engine = await usePeer('cds')
  const stops: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const each of stops.toReversed()) await each()
  }
  try {
    const [database, redis] = await Promise.all([startPostgresql(), startRedis()])
    stops.push(
      () => database.stop(),
      () => redis.stop(),
    )
    const [port = 0] = await freePorts(1)
    const url = `http://127.0.0.1:${port}`
    const api = await keep('cds', async folder => {
      await configure(engine, folder, { port, url, database: database.port, redis: redis.port })
      return {
        command: '/bin/sh',
        args: ['-c', 'cd "$0" && exec "$@"', folder, engine, 'start', 'api', '--config', join(folder, 'api.toml')],
      }
    })
    stops.push(() => api.stop())
    await untilReady(api, async () => (await callApi(url, { method: 'GET', path: '/mon/version' })).status === 200)
    const admin = await firstAdministrator(url, api)
    const cdn: CdnStandIn = await startCdn(url, readFileSync(join(api.folder, 'api.toml'), 'utf8'))
    stops.push(async () => cdn.stop())
    return {
      url,
      admin,
      configuration: join(api.folder, 'api.toml'),
      programs: dirname(engine),
      database: database.port,
      log: () => api.output(),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function configure(
  engine: string,
  folder: string,
  { port, url, database, redis }: { readonly port: number; readonly url: string; readonly database: number; readonly redis: number },
): Promise<void> {
  const inside = (name: string) => join(folder, name)
  const connection = [
    'user',
    'postgres',
    'password',
    'postgres',
    'name',
    'postgres',
    'schema',
    'public',
    'host',
    '127.0.0.1',
    'port',
    String(database),
  ]
  const flags = connection.flatMap((word, index) => (index % 2 === 0 ? [`--db-${word}`, connection[index + 1] ?? ''] : []))
  const migrations = join(dirname(engine), 'sql')
  await run(engine, ['database', 'upgrade', ...flags, '--db-sslmode', 'disable', '--migrate-dir', migrations], { maxBuffer: 2 ** 26 })
  for (const name of ['download', 'artifacts']) mkdirSync(inside(name))
  // The API refuses to start without a worker to give out.
  writeFileSync(inside('download/cds-worker-linux-amd64'), '#!/bin/sh\nexit 0\n')
  chmodSync(inside('download/cds-worker-linux-amd64'), 0o755)
  const { stdout } = await run(engine, ['config', 'new', 'api', 'cdn', 'hatchery:vsphere'], { maxBuffer: 2 ** 26 })
  writeFileSync(inside('new.toml'), stdout, { mode: 0o600 })
  const settings = {
    'api.cache.redis.host': `127.0.0.1:${redis}`,
    'api.database.host': '127.0.0.1',
    'api.database.port': database,
    'api.database.user': 'postgres',
    'api.database.password': 'postgres',
    'api.database.name': 'postgres',
    'api.download.directory': inside('download'),
    'api.download.downloadFromGitHub': false,
    'api.artifact.local.baseDirectory': inside('artifacts'),
    'api.http.addr': '127.0.0.1',
    'api.http.port': port,
    'api.url.api': url,
    'api.url.ui': 'http://127.0.0.1:1',
    'api.name': 'api1',
    'cdn.name': 'cdn1',
    'log.level': 'info',
  }
  const changes = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  await run(engine, ['config', 'edit', inside('new.toml'), '--output', inside('api.toml'), ...changes])
  // Good for an hour, and only for the names that the configuration has now.
  writeFileSync(inside('first.token'), (await run(engine, ['config', 'init-token', '--config', inside('api.toml')])).stdout)
}

/** Signs up the first user, whose letter stands in the API's log, and makes an administrator of them. */
async function firstAdministrator(url: string, api: Kept): Promise<string> {
  const user = { username: 'root1', fullname: 'Root One', email: 'root1@localhost.local', password: 'Zq7-plover-Anchor-39!' }
  await mustCall(url, { method: 'POST', path: '/auth/consumer/local/signup', body: user })
  const letter = /signup verify\s+--api-url\s+\S+\s+(\S+)\s/g
  for (const patience = Date.now() + 90_000; ; await sleep(200)) {
    const token = [...api.output().matchAll(letter)].at(-1)?.[1]
    if (token === undefined && Date.now() < patience) continue
    const first = readFileSync(join(api.folder, 'first.token'), 'utf8').trim()
    const { body } = await mustCall(url, { method: 'POST', path: '/auth/consumer/local/verify', body: { token, init_token: first } })
    return (body as { readonly token: string }).token
  }
}
