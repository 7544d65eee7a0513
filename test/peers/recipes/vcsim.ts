import { cpSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { goFor } from '../go.ts'
import { flags, keep, untilReady } from '../keep.ts'
import { usePeer, type Workbench } from '../set-up.ts'
import { substitutions } from '../vcsim/substitutions.ts'

const module = 'github.com/vmware/govmomi'

/** Builds vcsim-plus: govmomi's vCenter simulator with the few things added that a real vCenter does and it does not. */
export async function build(bench: Workbench): Promise<void> {
  const go = await goFor(bench)
  const govmomi = join(bench.scratch, 'govmomi')
  const folder = join(bench.scratch, 'vcsim-plus')
  const { Dir } = JSON.parse(await go(['mod', 'download', '-json', `${module}@v${bench.version}`], bench.scratch)) as { Dir: string }
  cpSync(Dir, govmomi, { recursive: true })
  for (const { file, from, to } of substitutions) {
    const path = join(govmomi, file)
    const before = readFileSync(path, 'utf8')
    if (before.search(from) < 0) throw new Error(`${file} of govmomi ${bench.version} has nothing like ${from}`)
    writeFileSync(path, before.replace(from, to))
  }
  for (const file of ['plus.go', 'plus_calls.go']) copyFileSync(source(file), join(govmomi, 'simulator', file))
  mkdirSync(folder)
  copyFileSync(source('main.go'), join(folder, 'main.go'))
  writeFileSync(
    join(folder, 'go.mod'),
    `module vcsimplus\n\ngo 1.19\n\nrequire ${module} v${bench.version}\n\nreplace ${module} => ../govmomi\n`,
  )
  await go(['mod', 'tidy'], folder)
  await go(['build', '-trimpath', '-o', join(bench.into, 'vcsim-plus'), '.'], folder)
}

function source(name: string): string {
  return fileURLToPath(new URL(`../vcsim/${name}`, import.meta.url))
}

/** A running vCenter simulator. */
export interface Vcsim {
  /** `https://127.0.0.1:PORT/sdk`, with a self-signed certificate. */
  readonly url: string
  readonly user: string
  readonly password: string
  readonly pid: number
  /** The next task of this name (`cloneVm`, `powerOn`) does not end until it is cancelled. */
  hold(task: string): Promise<void>
  /** Ends all sessions. */
  expire(): Promise<void>
  /** What clients left there, and how many tasks run. */
  state(): Promise<{ readonly sessions: number; readonly views: number; readonly filters: number; readonly tasks: number }>
  stop(): Promise<void>
}

/** What the simulated vCenter holds, and how long things take there, in milliseconds. */
export interface VcsimOptions {
  /** VMs in each resource pool. Default 10. */
  readonly vms?: number
  readonly hosts?: number
  /** Each with a pool and VMs of its own. Default 1. */
  readonly clusters?: number
  /** Each with clusters of its own. Default 1. */
  readonly datacenters?: number
  readonly user?: string
  readonly password?: string
  readonly cloneMs?: number
  readonly taskMs?: number
  readonly toolsMs?: number
  readonly addressMs?: number
  /** A session that makes no call for so long ends. Default: never. */
  readonly sessionIdleMs?: number
  /** Privileges that the account lacks. */
  readonly deny?: readonly string[]
  /** The port to listen on, to come back at the same place. Default: a free one. */
  readonly port?: number
  /** The only credentials that its guests accept. Default: any. */
  readonly guest?: { readonly user: string; readonly password: string }
}

/** Starts vcsim-plus: if nothing else is asked for, with one datacenter (DC0), one cluster and one pool. */
export async function startVcsim(options: VcsimOptions = {}): Promise<Vcsim> {
  const program = await usePeer('vcsim')
  const { user = 'user', password = 'pass' } = options
  const simulator = await keep('vcsim', folder => ({
    command: program,
    args: flags({
      l: `127.0.0.1:${options.port ?? 0}`,
      username: user,
      password,
      vm: options.vms ?? 10,
      host: options.hosts ?? 4,
      cluster: options.clusters ?? 1,
      dc: options.datacenters ?? 1,
    }),
    env: {
      // Datastores are folders there.
      TMPDIR: folder,
      ...milliseconds('CLONE', options.cloneMs),
      ...milliseconds('TASK', options.taskMs),
      ...milliseconds('TOOLS', options.toolsMs),
      ...milliseconds('IP', options.addressMs),
      ...milliseconds('SESSION_IDLE', options.sessionIdleMs),
      ...(options.deny === undefined ? {} : { PLUS_DENY: options.deny.join(',') }),
      ...(options.guest === undefined ? {} : { PLUS_GUEST_USER: options.guest.user, PLUS_GUEST_PASS: options.guest.password }),
    },
  }))
  const url = () => /^READY (\S+)$/m.exec(simulator.output())?.[1]
  // Thousands of VMs take half a minute to make, and much longer on a machine with other work.
  await untilReady(simulator, async () => url() !== undefined, 90 + (options.vms ?? 0) / 20)
  const sdk = url()!
  return {
    url: sdk,
    user,
    password,
    pid: simulator.pid,
    hold: async task => void (await control(sdk, 'POST', `hold?task=${task}`)),
    expire: async () => void (await control(sdk, 'POST', 'expire')),
    state: async () => JSON.parse(await control(sdk, 'GET', 'state')) as Awaited<ReturnType<Vcsim['state']>>,
    stop: () => simulator.stop(),
  }
}

/** Asks the simulator itself, beside the interface that it simulates. Its certificate is its own. */
function control(sdk: string, method: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request(new URL(`/plus/${path}`, sdk), { method, rejectUnauthorized: false }, answer => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve(text) : reject(new Error(`vcsim answers ${answer.statusCode} to ${path}`)),
      )
    })
      .on('error', reject)
      .end()
  })
}

function milliseconds(name: string, value: number | undefined): Record<string, string> {
  return value === undefined ? {} : { [`PLUS_${name}_MS`]: String(value) }
}
