import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testRsaKey } from '../../../src/hatchery/testing/operator-file.ts'
import type { Vm } from '../../../src/platform/index.ts'
import { freePorts } from '../free-ports.ts'
import { guest, makeTemplate, type OperatorFile, template } from '../hatchery/ground.ts'
import { Guests } from '../hatchery/guests.ts'
import { type HatcheryProcess, startHatcheryProcess } from '../hatchery/hatchery-process.ts'
import { Standing } from '../hatchery/standing.ts'
import { startVcsim, type Vcsim, type VcsimOptions } from '../peer.ts'
import { FaultProxy } from '../vsphere/fault-proxy.ts'
import { connectTo, thumbprintOf, type Vcenter } from '../vsphere/vcenter.ts'
import { Administrator } from './administrator.ts'
import { askDatabase } from './database.ts'
import { FrontDoor } from './front-door.ts'
import { hatcheryFile, type HatcheryFileOptions } from './hatchery-file.ts'
import { type RealCds, startCds } from './start.ts'

/** Lines that make a hatchery look after its VMs every few seconds instead of minutes; the original reads them as well. */
export const impatience = ['workerProvisioningInterval = 3', 'killAwolServersInterval = 2', 'finishedWorkerGracePeriod = 1']

interface Parts {
  readonly cds: RealCds
  readonly door: FrontDoor
  readonly sim: Vcsim
  readonly proxy: FaultProxy
  readonly other: Vcenter
  readonly guests: Guests
  readonly folder: string
}

/**
 * The real CDS API and a simulated vCenter, as a hatchery finds them: the API behind a door that can be closed, vCenter behind a
 * proxy, and workers in its guests that speak to the API. Everything ends with it. Laying it takes half a minute.
 */
export class RealGround implements AsyncDisposable {
  readonly region = 'north'
  readonly administrator: Administrator
  readonly cds: RealCds
  readonly door: FrontDoor
  readonly sim: Vcsim
  readonly proxy: FaultProxy
  /** Somebody else with a way of their own to the vCenter. */
  readonly other: Vcenter
  readonly guests: Guests
  readonly folder: string
  readonly #stack: AsyncDisposableStack
  readonly #standing: Standing

  private constructor(parts: Parts, stack: AsyncDisposableStack) {
    this.cds = parts.cds
    this.door = parts.door
    this.sim = parts.sim
    this.proxy = parts.proxy
    this.other = parts.other
    this.guests = parts.guests
    this.folder = parts.folder
    this.administrator = new Administrator(parts.cds)
    this.#stack = stack
    this.#standing = new Standing(parts.other)
    this.proxy.onAnswer = this.guests.onAnswer
  }

  static async lay(vcenter: VcsimOptions = {}): Promise<RealGround> {
    const stack = new AsyncDisposableStack()
    try {
      const folder = await mkdtemp(join(tmpdir(), 'aviary-cds-'))
      stack.defer(() => rm(folder, { recursive: true, force: true }))
      const cds = await startCds()
      stack.defer(() => cds.stop())
      const door = stack.use(await FrontDoor.open(cds.url))
      const sim = await startVcsim({ vms: 3, cloneMs: 150, taskMs: 30, toolsMs: 150, addressMs: 200, guest, ...vcenter })
      stack.defer(() => sim.stop())
      const proxy = await FaultProxy.start(sim.url)
      stack.defer(() => proxy.stop())
      const other = stack.use(await connectTo(sim))
      await makeTemplate(other, 'DC0_C0_RP0_VM0', template)
      const guests = new Guests(other, { work: [1_500, 2_500] })
      stack.defer(() => guests.stop())
      return new RealGround({ cds, door, sim, proxy, other, guests, folder }, stack)
    } catch (error) {
      await stack.disposeAsync()
      throw error
    }
  }

  /** The file of an operator who wants a hatchery here, which CDS has been told of. */
  async operatorFile(name: string, options: Partial<HatcheryFileOptions> = {}): Promise<OperatorFile> {
    const { more = [], ...rest } = options
    const tokens = await this.administrator.addHatchery(name, { region: this.region })
    const vcenter = { ...this.sim, url: this.proxy.url }
    const [port = 0] = await freePorts(1)
    const path = join(this.folder, `${name}.toml`)
    const text = hatcheryFile({
      name,
      key: testRsaKey(),
      api: this.door.url,
      tokenV1: tokens.v1,
      tokenV2: tokens.v2,
      port,
      vcenter,
      // An address is kept from others for minutes after its VM is gone, and VMs come and go quickly here.
      addresses: '10.20.0.64/26',
      more: [`thumbprint = "${await thumbprintOf(vcenter.url)}"`, ...impatience, ...more],
      ...rest,
    })
    await writeFile(path, text, { mode: 0o600 })
    return { path, pages: `http://127.0.0.1:${port}` }
  }

  /** Starts the program and waits until it serves. It ends with the ground at the latest. */
  async start({ path }: OperatorFile, dataDir?: string): Promise<HatcheryProcess> {
    const hatchery = startHatcheryProcess(path, dataDir)
    this.#stack.defer(async () => void (await hatchery.kill('SIGKILL')))
    await hatchery.ready
    return hatchery
  }

  /** Somebody starts a V2 job on the template of these tests. Not announced, it is only found by asking for it. */
  async startJob(options: { readonly flavor?: string; readonly announced?: boolean } = {}): Promise<string> {
    return await this.administrator.startJobV2({ project: 'NEST', region: this.region, image: template, ...options })
  }

  /** VMs that hatcheries made, as somebody else sees them. */
  vms(): readonly Vm[] {
    return this.#standing.vms()
  }

  /** VMs that stand ready. */
  ready(): readonly Vm[] {
    return this.#standing.ready()
  }

  /** VMs of workers, and of templates in the making. */
  workers(): readonly Vm[] {
    return this.#standing.workers()
  }

  /** Ends every session that a hatchery has with the API, on both sides. */
  async revokeSessions(hatchery: string): Promise<void> {
    await askDatabase(this.cds.database, `DELETE FROM auth_session WHERE consumer_id IN (${consumersOf(hatchery)})`)
  }

  /** How many sessions a hatchery has with the API. */
  async sessionsOf(hatchery: string): Promise<number> {
    return (await askDatabase(this.cds.database, `SELECT id FROM auth_session WHERE consumer_id IN (${consumersOf(hatchery)})`)).length
  }

  /** The status lines that the API has of a hatchery, as `Component value`; V2 keeps them where only the database shows them. */
  async statusOf(hatchery: string): Promise<{ readonly v1: readonly string[]; readonly v2: readonly string[] }> {
    interface Line {
      readonly component: string
      readonly value: string
      readonly service?: string
    }
    const { lines } = (await this.administrator.ask('GET', '/mon/status')) as { lines: readonly Line[] }
    const query = `SELECT s.monitoring_status FROM hatchery_status s JOIN hatchery h ON h.id = s.hatchery_id WHERE h.name = '${hatchery}'`
    const [[kept = '{}'] = []] = await askDatabase(this.cds.database, query)
    const told = (JSON.parse(kept) as { lines?: readonly Line[] | null }).lines ?? []
    const text = ({ component, value }: Line) => `${component} ${value}`
    // The API puts the name of the service before the component.
    return {
      v1: lines.filter(({ service, component }) => service === hatchery || component.startsWith(hatchery)).map(text),
      v2: told.map(text),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }
}

function consumersOf(hatchery: string): string {
  return `SELECT id FROM auth_consumer WHERE name = '${hatchery}-v1' OR name = '${hatchery}'`
}
