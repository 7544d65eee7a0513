import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { freePorts } from '../free-ports.ts'
import { keep, untilReady } from '../keep.ts'
import { usePeer } from '../set-up.ts'
import { callApi } from './call-api.ts'
import { hatcheryFile, type HatcheryFileOptions } from './hatchery-file.ts'

/** A running hatchery of CDS's own, to compare with. */
export interface OriginalHatchery {
  /** Its own HTTP server. */
  readonly url: string
  readonly pid: number
  /** What it has logged so far. */
  log(): string
  stop(): Promise<void>
}

/** Starts the original vSphere hatchery on an operator's file and waits until it has signed in. */
export async function startOriginalHatchery(options: Omit<HatcheryFileOptions, 'key' | 'port'>): Promise<OriginalHatchery> {
  const engine = await usePeer('cds')
  const [port = 0] = await freePorts(1)
  const { privateKey: key } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  })
  const certificate = await certificateOf(options.vcenter.url)
  const hatchery = await keep('hatchery', folder => {
    const file = join(folder, 'hatchery.toml')
    writeFileSync(file, hatcheryFile({ ...options, key, port }), { mode: 0o600 })
    // It cannot be told to trust one certificate, but Go takes its authorities from here.
    writeFileSync(join(folder, 'vcenter.pem'), certificate)
    return { command: engine, args: ['start', 'hatchery:vsphere', '--config', file], env: { SSL_CERT_FILE: join(folder, 'vcenter.pem') } }
  })
  const url = `http://127.0.0.1:${port}`
  await untilReady(hatchery, async () => (await callApi(url, { method: 'GET', path: '/mon/version' })).status === 200)
  return { url, pid: hatchery.pid, log: () => hatchery.output(), stop: () => hatchery.stop() }
}

/** The certificate that a server shows, as PEM. */
function certificateOf(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      const { raw } = socket.getPeerCertificate()
      socket.end()
      const lines = raw.toString('base64').match(/.{1,64}/g) ?? []
      resolve(`-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`)
    })
    socket.on('error', reject)
  })
}
