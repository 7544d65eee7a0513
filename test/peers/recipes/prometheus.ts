import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '../free-ports.ts'
import { flags, keep, untilReady } from '../keep.ts'
import { usePeer, type Workbench } from '../set-up.ts'
import { unpackDebian } from './debian.ts'

const programs = ['prometheus', 'promtool']

/** Takes the machine's own Prometheus if it has one, else the one of its Debian; promtool stands beside it. */
export async function build(bench: Workbench): Promise<void> {
  mkdirSync(join(bench.into, 'bin'))
  const isInstalled = programs.every(name => existsSync(`/usr/bin/${name}`))
  if (!isInstalled) await unpackDebian(bench, ['prometheus'])
  for (const name of programs) symlinkSync(isInstalled ? `/usr/bin/${name}` : `../usr/bin/${name}`, join(bench.into, 'bin', name))
}

/** A running Prometheus. */
export interface Prometheus {
  readonly url: string
  /** What an expression comes to now: the first number, or nothing. */
  query(expression: string): Promise<number | undefined>
  /** The names of alerts that are pending or firing. */
  alerts(): Promise<readonly string[]>
  stop(): Promise<void>
}

/** Starts Prometheus, which looks at `target` (HOST:PORT) every second, with these rules. Resolves when it has looked once. */
export async function startPrometheus(options: { target: string; path: string; rules: readonly string[] }): Promise<Prometheus> {
  const program = await usePeer('prometheus')
  const [port = 0] = await freePorts(1)
  const url = `http://127.0.0.1:${port}`
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: options.rules,
    scrape_configs: [{ job_name: 'hatchery', metrics_path: options.path, static_configs: [{ targets: [options.target] }] }],
  }
  const prometheus = await keep('prometheus', folder => {
    // What is JSON is YAML too.
    writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config))
    return {
      command: program,
      args: flags({
        'config.file': join(folder, 'prometheus.yml'),
        'storage.tsdb.path': join(folder, 'data'),
        'web.listen-address': `127.0.0.1:${port}`,
        'log.level': 'warn',
      }),
    }
  })
  const query = async (expression: string) => {
    const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`)
    const { status, data, error } = (await answer.json()) as Answer
    if (status !== 'success') throw new Error(`${expression}: ${error}`)
    const value = data.result[0]?.value[1]
    return value === undefined ? undefined : Number(value)
  }
  await untilReady(prometheus, async () => (await query('up')) === 1)
  return {
    url,
    query,
    alerts: async () => {
      const { data } = (await (await fetch(`${url}/api/v1/alerts`)).json()) as { data: { alerts: { labels: { alertname: string } }[] } }
      return data.alerts.map(({ labels }) => labels.alertname)
    },
    stop: () => prometheus.stop(),
  }
}

interface Answer {
  readonly status: string
  readonly error?: string
  readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] }
}
