import { dirname } from 'node:path'
import type { Io } from '../io.ts'
import { serve } from '../serve.ts'
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
export function run(_args: readonly string[], options: UpOptions, io: Io): Promise<number> {
  const overrides = flags.flatMap(([flag, key, from]): Override[] => {
    const value = options[flag]
    return value === undefined ? [] : [{ key, value, from }]
  })
  return serve(
    {
      file: options.config,
      overrides,
      greeting: ({ url, kubeconfig, hatchery }, { demo }, seconds) =>
        greeting({
          url,
          kubeconfig,
          isDemo: demo.enabled,
          hasHatchery: hatchery !== undefined,
          isShadowed: ['AVIARY_KUBECONFIG', 'KUBECONFIG'].some(name => Boolean(io.environment[name])),
          seconds,
          folder: io.folder,
        }),
    },
    io,
  )
}

interface Facts {
  readonly url: string
  readonly kubeconfig: string | undefined
  readonly isDemo: boolean
  readonly hasHatchery: boolean
  /** Whether the environment leads commands elsewhere. */
  readonly isShadowed: boolean
  readonly seconds: string
  readonly folder: string
}

/** In plain words: what is running, where, and what to try next. */
function greeting({ url, kubeconfig, isDemo, hasHatchery, isShadowed, seconds, folder }: Facts): string {
  if (kubeconfig === undefined)
    return [
      `Aviary runs on your Kubernetes cluster (started in ${seconds} s).`,
      `  health and metrics  ${url}/healthz  ${url}/metrics`,
      '',
    ].join('\n')
  const shown = kubeconfig.startsWith(`${folder}/`) ? kubeconfig.slice(folder.length + 1) : kubeconfig
  return [
    `Aviary is running (started in ${seconds} s). Ctrl-C ends it; its data stays.`,
    '',
    `  URL          ${url}`,
    `  kubeconfig   ${shown}`,
    `  data folder  ${dirname(shown)}`,
    '',
    ...(isDemo
      ? [
          'The demo is on: jobs of a simulated CDS become workers on simulated VMs,',
          'and a pool keeps simulated clusters ready. In another terminal:',
          '',
        ]
      : ['In another terminal:', '']),
    // What commands find by themselves is `data` in the folder where they run.
    ...(isShadowed || shown !== 'data/kubeconfig' ? [`  export AVIARY_KUBECONFIG=${shown}   or another server is asked`] : []),
    ...(isDemo
      ? [
          '  bin/aviary hatchery workers --watch    workers as they come and go',
          '  bin/aviary why job/1                   the job that cannot start, and why',
          '  bin/aviary pool show flock             its clusters, and names that are free',
          `  kubectl --kubeconfig ${shown} get spawns --watch`,
        ]
      : [
          ...(hasHatchery ? ['  bin/aviary hatchery workers --watch'] : []),
          '  bin/aviary get namespaces',
          `  kubectl --kubeconfig ${shown} api-resources`,
        ]),
    '',
    '',
  ].join('\n')
}
