import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Server } from './server.ts'

const program = fileURLToPath(new URL('../../bin/aviary', import.meta.url))

/** Starts Aviary as anybody would, with an empty data folder: embedded engine, TLS, tokens, audit log. `seconds` until it serves. */
export async function startAviary(): Promise<Server & { readonly seconds: number; readonly kubeconfig: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'aviary-bench-'))
  const data = join(folder, 'data')
  const config = join(folder, 'aviary.toml')
  writeFileSync(config, `[server]\nlisten = "127.0.0.1:0"\ndataDir = ${JSON.stringify(data)}\n\n[log]\nlevel = "warn"\n`)
  const began = performance.now()
  const flags = process.env['AVIARY_BENCH_NODE_FLAGS']?.split(' ') ?? []
  const child = spawn(process.execPath, [...flags, program, 'up', '--config', config], { stdio: ['ignore', 'pipe', 'inherit'] })
  // Nothing outlives the benchmark, however it ends.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
      const [, found] = /^ready (.*)$/m.exec(text) ?? []
      if (found !== undefined) resolve(found)
    })
    child.once('close', code => reject(new Error(`aviary ended with code ${code} before it was ready`)))
  })
  const seconds = (performance.now() - began) / 1000
  const kubeconfig = join(data, 'kubeconfig')
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig, 'utf8'))
  return {
    name: 'Aviary',
    url,
    seconds,
    kubeconfig,
    ca: Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64').toString(),
    token: users[0].user.token,
    pids: [child.pid!],
    async stop() {
      process.off('exit', kill)
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
