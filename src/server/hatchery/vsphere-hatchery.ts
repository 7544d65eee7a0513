import { prometheusMetrics, serveHandler } from '../../ports/index.ts'
import type { ServedHandler } from '../../ports/index.ts'
import type { ControllerContext } from '../../control/index.ts'
import { apiTrust, connectCds, Hatchery, vcenterSettings } from '../../hatchery/index.ts'
import type { HatcherySettings } from '../../hatchery/index.ts'
import type { GovernorLimits } from '../../platform/index.ts'
import type { Ports } from '../ports.ts'
import { version } from '../version.ts'
import { VspherePlatforms } from '../vsphere/vsphere-platforms.ts'
import type { HatcheryWithGround } from './hatchery-host.ts'

/** What a hatchery on a vCenter is made of. */
export interface VsphereHatcheryOptions {
  readonly settings: HatcherySettings
  readonly limits: GovernorLimits
  readonly ports: Ports
}

/** The hatchery that a CDS operator's configuration describes, on its vCenter and its CDS. */
export async function vsphereHatchery({ store }: ControllerContext, options: VsphereHatcheryOptions): Promise<HatcheryWithGround> {
  const { settings, limits, ports } = options
  const { clock, chance, log } = ports
  const opened = new AsyncDisposableStack()
  try {
    const platforms = opened.use(new VspherePlatforms({ ports, store, limits }))
    const vcenter = vcenterSettings(settings)
    const platform = platforms.platformFor(vcenter, 'hatchery')
    const background = platforms.platformFor(vcenter, 'hatchery', { canWait: true })
    const addresses = platforms.addressesFor(vcenter, settings.networks)
    const trust = apiTrust(settings.api)
    const http = ports.http(trust)
    opened.defer(() => http.close())
    const cds = connectCds({ settings, http, webSockets: ports.webSockets(trust), clock, chance, log })
    const metrics = prometheusMetrics()
    const hatchery = new Hatchery({ settings, platform, background, addresses, store, cds, clock, chance, log, metrics })
    return {
      hatchery,
      operations: () => platforms.operations(),
      start: async () => {
        const served = await servePages(hatchery, settings)
        opened.defer(() => served.close())
        log.info('the hatchery’s pages are served', { url: `${served.url}/mon/status`, version })
        await hatchery.start()
      },
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** The `/mon` pages where the settings want them. */
export function servePages({ pages }: Hatchery, { http: { address, port } }: HatcherySettings): Promise<ServedHandler> {
  return serveHandler({ handler: pages, address: address === '' ? '0.0.0.0' : address, port })
}
