import { realClock, seededChance, serveHandler, type ServedHandler } from '../../ports/index.ts'
import { SimulatedCds } from '../../simulation/index.ts'

/** A simulated CDS on a real port. */
export interface ServedCds extends AsyncDisposable {
  readonly cds: SimulatedCds
  readonly served: ServedHandler
  /** The variables that lead the hatchery of `operatorFile` there, with tokens that are good. */
  readonly environment: Readonly<Record<string, string>>
}

/** Puts a simulated CDS on a real port that knows the hatchery of `operatorFile`, on both sides. */
export async function servedCds(): Promise<ServedCds> {
  const cds = new SimulatedCds({ clock: realClock(), chance: seededChance('a CDS'), call: [0, 1] })
  const served = await serveHandler({ handler: cds.handler, webSockets: cds.webSocketHandler })
  return {
    cds,
    served,
    environment: {
      CDS_HATCHERY_VSPHERE_API_HTTP_URL: served.url,
      CDS_HATCHERY_VSPHERE_API_TOKEN: cds.addHatcheryV1({ name: 'hv1' }),
      CDS_HATCHERY_VSPHERE_API_TOKENV2: cds.addHatcheryV2({ name: 'hv1', region: 'north' }),
    },
    [Symbol.asyncDispose]: async () => {
      cds.stop()
      await served.close()
    },
  }
}
