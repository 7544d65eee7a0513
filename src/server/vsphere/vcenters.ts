import type { HatcherySettings } from '../../hatchery/index.ts'
import type { Files, TlsTrust } from '../../ports/index.ts'
import type { GovernorLimits } from '../../platform/index.ts'
import type { VsphereSettings } from '../../vsphere/index.ts'
import type { Config } from '../config/sections.ts'

/** A vCenter that the configuration names, and what must be found there. */
export interface ConfiguredVcenter {
  /** The section that names it. */
  readonly section: string
  readonly settings: VsphereSettings
  readonly templates: readonly string[]
}

/** Every vCenter that the configuration names. Rejects with `FileNotFound` or `FileNotReadable` if an authority cannot be read. */
export async function configuredVcenters({ vsphere, hatchery }: Config, files: Files): Promise<readonly ConfiguredVcenter[]> {
  return [...(await vcenterOf(vsphere, files)), ...(await vcenterOfWorkers(hatchery.vsphere))]
}

async function vcenterOfWorkers(workers: HatcherySettings | undefined): Promise<readonly ConfiguredVcenter[]> {
  if (workers === undefined) return []
  const { templatesNamed, vcenterSettings } = await import('../../hatchery/index.ts')
  return [{ section: 'hatchery.vsphere', settings: vcenterSettings(workers), templates: templatesNamed(workers) }]
}

async function vcenterOf(vsphere: Config['vsphere'], files: Files): Promise<readonly ConfiguredVcenter[]> {
  const { url, user, password, ca, thumbprint, templates, limits: _, ...places } = vsphere
  if (url === undefined || user === undefined || password === undefined) return []
  const trust: TlsTrust = {
    ...(ca !== undefined && { ca: await files.read(ca) }),
    ...(thumbprint !== undefined && { thumbprint }),
  }
  return [{ section: 'vsphere', settings: Object.freeze({ url, user, password, trust, ...present(places) }), templates }]
}

/** How much may go on at once on a vCenter, as the configuration wants it. */
export function vcenterLimits({ vsphere: { limits } }: Config): GovernorLimits {
  const { operations, perHost, fullClone, longestWait } = limits
  return { total: operations, perHost, weights: { fullClone }, longestWait }
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> }

function present<T extends object>(settings: T): Present<T> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Present<T>
}
