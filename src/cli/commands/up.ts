import { dirname } from 'node:path'
import { exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { holdYoungSpace, limitYoungSpace } from '../../ports/index.ts'
import type { Override } from '../../server/index.ts'

interface UpOptions {
  readonly config?: string
  readonly dataDir?: string
  readonly listen?: string
  readonly engine?: string
  readonly kubeconfig?: string
}

/** The keys of the configuration that a flag replaces. */
const flags = [
  ['dataDir', 'server.dataDir', '--data-dir'],
  ['listen', 'server.listen', '--listen'],
  ['engine', 'engine.kind', '--engine'],
  ['kubeconfig', 'engine.kubeconfig', '--kubeconfig'],
] as const

/** `aviary up` */
export async function run(_args: readonly string[], options: UpOptions, io: Io): Promise<number> {
  const overrides = flags.flatMap(([flag, key, from]): Override[] => {
    const value = options[flag]
    return value === undefined ? [] : [{ key, value, from }]
  })
  holdYoungSpace()
  const { loadConfig, startAviary } = await import('../../server/index.ts')
  limitYoungSpace()
  const config = await loadConfig(options.config, { files: io.files, environment: io.environment, folder: io.folder, overrides })
  const started = io.clock.monotonic()
  const aviary = await startAviary({ config })
  const seconds = ((io.clock.monotonic() - started) / 1000).toFixed(1)
  io.out(greeting({ url: aviary.url, kubeconfig: aviary.kubeconfig, isDemo: config.demo.enabled, seconds, folder: io.folder }))
  io.out(`ready ${aviary.url}\n`)
  await new Promise<void>(resolve => {
    if (io.signal.aborted) resolve()
    else io.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  // The terminal has just shown ^C.
  if (io.canRedraw) io.err('\nEnding …\n')
  await aviary.stop()
  return exitCodes.ok
}

interface Facts {
  readonly url: string
  readonly kubeconfig: string | undefined
  readonly isDemo: boolean
  readonly seconds: string
  readonly folder: string
}

/** In plain words: what is running, where, and what to try next. */
function greeting({ url, kubeconfig, isDemo, seconds, folder }: Facts): string {
  if (kubeconfig === undefined)
    return [
      `Aviary runs on your Kubernetes cluster (started in ${seconds} s).`,
      `  health and metrics  ${url}/healthz  ${url}/metrics`,
      '',
    ].join('\n')
  const shown = kubeconfig.startsWith(`${folder}/`) ? kubeconfig.slice(folder.length + 1) : kubeconfig
  return [
    `Aviary is running (started in ${seconds} s). Ctrl-C ends it; what it keeps stays in the data folder.`,
    '',
    `  URL          ${url}`,
    `  kubeconfig   ${shown}`,
    `  data folder  ${dirname(shown)}`,
    '',
    ...(isDemo
      ? ['The demo is on: nests are built, eggs are brooded, some wait for something. In another terminal:', '']
      : ['In another terminal:', '']),
    ...(isDemo
      ? ['  bin/aviary get nests --watch', '  bin/aviary why nest/starling', `  kubectl --kubeconfig ${shown} get nests --watch`]
      : ['  bin/aviary get namespaces', `  kubectl --kubeconfig ${shown} api-resources`]),
    '',
    '',
  ].join('\n')
}
