import { connect } from 'node:tls'
import { VsphereConnection, VspherePlatform, type VsphereSettings } from '../../../src/vsphere/index.ts'
import { httpClient, realChance, realClock, recordingLog, Secret, type Log } from '../../../src/ports/index.ts'
import type { Vcsim } from '../peer.ts'
import { CountedHttp } from './counted-http.ts'

/** A platform on a simulated vCenter, with everything that a test wants to look at. */
export interface Vcenter extends AsyncDisposable {
  readonly platform: VspherePlatform
  readonly connection: VsphereConnection
  readonly http: CountedHttp
  readonly log: ReturnType<typeof recordingLog>
}

/** Connects to the simulator and waits until its inventory is known. `url` may lead through a proxy. */
export async function connectTo(vcsim: Vcsim, settings: Partial<VsphereSettings> = {}, { live = true } = {}): Promise<Vcenter> {
  const clock = realClock()
  const thumbprint = await thumbprintOf(settings.url ?? vcsim.url)
  const http = new CountedHttp(httpClient({ clock, trust: { thumbprint } }))
  const log = recordingLog()
  const connection = new VsphereConnection({
    settings: { url: vcsim.url, user: vcsim.user, password: new Secret(vcsim.password), ...settings },
    http,
    clock,
    chance: realChance(),
    log: process.env['AVIARY_TEST_LOG'] === undefined ? log : loud(log),
  }).start()
  if (live) {
    using limit = clock.deadline(60_000)
    await connection.inventory.whenLive(limit.signal)
  }
  return {
    platform: new VspherePlatform(connection, settings),
    connection,
    http,
    log,
    async [Symbol.asyncDispose]() {
      await connection.close()
      await http.close()
    },
  }
}

function loud(log: Log): Log {
  const line = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, fields?: object) => {
    console.error(level, message, fields)
    log[level](message, fields as never)
  }
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error'), with: () => loud(log) }
}

/** The SHA-256 thumbprint of the certificate that a server shows. */
export function thumbprintOf(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '')
      socket.destroy()
    })
    socket.once('error', reject)
  })
}

/** A signal that nobody aborts. */
export const never: AbortSignal = new AbortController().signal
