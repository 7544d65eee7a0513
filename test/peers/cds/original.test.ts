import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { realChance, realClock, serveHandler } from '../../../src/ports/index.ts'
import { SimulatedCds } from '../../../src/simulation/index.ts'
import { until } from '../hatchery/ground.ts'
import { startVcsim, type Vcsim } from '../peer.ts'
import { Administrator } from './administrator.ts'
import { type OriginalHatchery, startOriginalHatchery } from './original-hatchery.ts'
import { startCds } from './start.ts'

/** A CDS that the original hatchery works for. */
interface Employer {
  readonly url: string
  readonly tokens: { readonly v1: string; readonly v2: string }
  /** A V2 job whose flavor no hatchery knows. */
  startJob(): Promise<string>
  statusOf(job: string): Promise<string>
  /** Whether the hatchery's heartbeats came, V1 and V2. */
  beats(): Promise<boolean>
  stop(): Promise<void>
}

const name = 'original'
const region = 'eu'

async function realEmployer(): Promise<Employer> {
  const cds = await startCds()
  const administrator = new Administrator(cds)
  const tokens = await administrator.addHatchery(name, { region })
  const model = { project: 'ORI', region, image: 'debian12', flavor: 'enormous' }
  return {
    url: cds.url,
    tokens,
    startJob: () => administrator.startJobV2(model),
    async statusOf(job) {
      // An administrator sees jobs that are not over; one that is nowhere to be seen is.
      const queue = (await administrator.ask('GET', '/v2/queue?status=Waiting&status=Scheduling&status=Building')) as {
        id: string
        status: string
      }[]
      return queue.find(each => each.id === job)?.status ?? 'Fail'
    },
    async beats() {
      // The status shows V1 hatcheries that beat; V2 ones beat in the log alone.
      const { lines } = (await administrator.ask('GET', '/mon/status')) as { lines: { service: string }[] }
      return lines.some(line => line.service === name) && /END +\| \/v2\/hatchery\/heartbeat .*\[204\]/.test(cds.log())
    },
    stop: () => cds.stop(),
  }
}

async function simulatedEmployer(): Promise<Employer> {
  const cds = new SimulatedCds({ clock: realClock(), chance: realChance(), call: [0, 2] })
  const served = await serveHandler({ handler: cds.handler, webSockets: cds.webSocketHandler })
  const tokens = { v1: cds.addHatcheryV1({ name }), v2: cds.addHatcheryV2({ name, region }) }
  const model = { name: 'deb', osarch: 'linux/amd64', type: 'vsphere', spec: { image: 'debian12' } }
  return {
    url: served.url,
    tokens,
    startJob: async () => cds.addJobV2({ region, model, flavor: 'enormous' }).id,
    statusOf: async job => cds.jobV2(job)?.status ?? '',
    async beats() {
      const { v1, v2 } = cds.statusOf(name)
      return v1.length > 0 && v2.length > 0
    },
    async stop() {
      cds.stop()
      await served.close()
    },
  }
}

let vcenter: Vcsim
beforeAll(async () => {
  vcenter = await startVcsim()
})
afterAll(() => vcenter?.stop())

describe.each([
  { which: 'the real CDS API', employ: realEmployer },
  { which: 'the simulated CDS on a real port', employ: simulatedEmployer },
])('the original hatchery works with $which', ({ employ }) => {
  let employer: Employer
  let hatchery: OriginalHatchery

  beforeAll(async () => {
    employer = await employ()
    hatchery = await startOriginalHatchery({ name, api: employer.url, tokenV1: employer.tokens.v1, tokenV2: employer.tokens.v2, vcenter })
  })
  afterAll(async () => {
    await hatchery?.stop()
    await employer?.stop()
  })

  const saw = () => hatchery.log().split('\n').slice(-30).join('\n')

  test('it signs in to V1 and V2, and its heartbeats arrive', async () => {
    await until(() => employer.beats(), 110, saw)
    expect(await employer.beats()).toBe(true)
  })

  test('a job with an unknown flavor is taken and given back until it fails', async () => {
    const job = await employer.startJob()
    await until(async () => (await employer.statusOf(job)) === 'Fail', 110, saw)
    expect(await employer.statusOf(job)).toBe('Fail')
  })
})
