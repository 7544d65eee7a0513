import { httpClient, silentLog } from '../ports/index.ts'
import { configuredVcenters, loadConfig } from '../server/index.ts'
import type { ConfiguredVcenter } from '../server/index.ts'
import { sdkUrl, VsphereConnection } from '../vsphere/index.ts'
import type { Datacenter, VsphereSettings } from '../vsphere/index.ts'
import { Usage } from './errors.ts'
import { exitCodeOf } from './exit-code-of.ts'
import { exitCodes } from './exit-codes.ts'
import type { Io } from './io.ts'
import { errorText } from './output/error-text.ts'
import { Progress } from './output/progress.ts'

/** The option that every command about a vCenter has. */
export interface VcenterOptions {
  readonly config: string
}

/** The vCenters that a configuration names; never none. */
export async function vcentersOf({ config: file }: VcenterOptions, io: Io): Promise<readonly ConfiguredVcenter[]> {
  const config = await loadConfig(file, { files: io.files, environment: io.environment, folder: io.folder })
  const vcenters = await configuredVcenters(config, io.files)
  if (vcenters.length > 0) return vcenters
  throw Usage({
    what: `${file} names no vCenter`,
    fix: 'add a section [vsphere] with url, user and password (docs/vsphere.md), or that of a hatchery',
  })
}

/** A datacenter that somebody looks at, and how it is told from others that they look at. */
export interface OpenVcenter {
  readonly label: string
  readonly connection: VsphereConnection
}

/** Whether there are several, of which each row has to say on which it is, and whether all of them can be seen. */
export interface Extent {
  readonly several: boolean
  readonly complete: boolean
}

/**
 * Signs in to every vCenter of a configuration and has its whole inventory; signs out when `use` is done. Of several, those that can
 * be read are shown although others cannot: why is said, and the exit code that this resolves to tells of it.
 */
export async function atVcenters(
  options: VcenterOptions,
  io: Io,
  use: (vcenters: readonly OpenVcenter[], extent: Extent) => Promise<void>,
): Promise<number> {
  await using opened = new AsyncDisposableStack()
  const progress = new Progress(io)
  opened.defer(async () => progress.clear())
  const configured = await vcentersOf(options, io)
  const found = new Map<string, Found>()
  const failures: unknown[] = []
  for (const { settings } of configured) {
    try {
      const one = await signIn(settings, opened, progress, io)
      // Two services may name one datacenter; it is shown once.
      const key = JSON.stringify([one.host, one.user, one.datacenter.ref.id])
      if (found.has(key)) continue
      await one.connection.start().live(io.signal)
      found.set(key, one)
    } catch (error) {
      if (io.signal.aborted || configured.length === 1) throw error
      failures.push(error)
    }
  }
  progress.clear()
  for (const error of failures) io.err(errorText(error))
  const several = found.size + failures.length > 1
  if (found.size > 0) await use(labelled([...found.values()]), { several, complete: failures.length === 0 })
  return failures.length === 0 ? exitCodes.ok : exitCodeOf(failures[0])
}

/** What is on all of them, as a sentence names it. */
export function namesOf(vcenters: readonly OpenVcenter[]): string {
  return vcenters.map(({ label, connection }) => (vcenters.length === 1 ? connection.name : label)).join(' and ')
}

interface Found {
  readonly host: string
  readonly user: string
  readonly datacenter: Datacenter
  readonly connection: VsphereConnection
}

async function signIn(settings: VsphereSettings, opened: AsyncDisposableStack, progress: Progress, io: Io): Promise<Found> {
  const { clock, chance, signal } = io
  const http = opened.adopt(httpClient({ clock, trust: settings.trust ?? {} }), client => client.close())
  const connection = opened.adopt(new VsphereConnection({ settings, http, clock, chance, log: silentLog }), each => each.close())
  if (io.canRedraw) progress.show(`reading ${connection.name}`)
  // Asked once before the watch begins, which would try for a while: who waits at a terminal wants to know at once.
  await connection.session.content(signal)
  const datacenter = await connection.places.datacenter()
  await connection.places.find('resourcePool', settings.resourcePool)
  return { host: new URL(sdkUrl(settings)).host, user: settings.user, datacenter, connection }
}

/** Each with a label as short as tells all of them apart. */
function labelled(found: readonly Found[]): readonly OpenVcenter[] {
  const forms: readonly ((one: Found) => string)[] = [
    ({ host }) => host,
    ({ host, datacenter }) => `${host}/${datacenter.name}`,
    ({ host, datacenter, user }) => `${host}/${datacenter.name} as ${user}`,
  ]
  const form = forms.find(each => new Set(found.map(each)).size === found.length) ?? forms.at(-1)!
  return found.map(one => ({ label: form(one), connection: one.connection }))
}
