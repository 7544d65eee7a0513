import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { testRsaKey } from '../../../src/hatchery/testing/operator-file.ts'
import type { Vm } from '../../../src/platform/index.ts'
import { realChance, realClock, serveHandler } from '../../../src/ports/index.ts'
import { type JobV2, SimulatedCds } from '../../../src/simulation/index.ts'
import { child, refOf } from '../../../src/vsphere/testing/inside.ts'
import { hatcheryFile, type HatcheryFileOptions } from '../cds/hatchery-file.ts'
import { freePorts } from '../free-ports.ts'
import { startVcsim, type Vcsim, type VcsimOptions } from '../peer.ts'
import { FaultProxy } from '../vsphere/fault-proxy.ts'
import { connectTo, never, thumbprintOf, type Vcenter } from '../vsphere/vcenter.ts'
import { Guests, type Manners } from './guests.ts'
import { type HatcheryProcess, startHatcheryProcess } from './hatchery-process.ts'
import { Standing } from './standing.ts'

/** Templates of 1 CPU and 32 MB; operators' files speak of the first one. */
export const template = 'debian12'
export const otherTemplate = 'alpine3'
export const guest = { user: 'root', password: 'guestpw' }
const region = 'eu'

/** What a test wants to be different. */
export interface GroundOptions {
  readonly vcenter?: VcsimOptions
  readonly workers?: Manners
}

/** An operator's file, and where the pages of the hatchery that reads it are served. */
export interface OperatorFile {
  readonly path: string
  readonly pages: string
}

/**
 * Everything that a hatchery stands on, outside this process or on real ports: a vCenter behind a proxy that can harm calls, CDS,
 * and workers that sign in to it from guests. Hatcheries come and go on it; all of it ends with it.
 */
export class Ground implements AsyncDisposable {
  readonly sim: Vcsim
  readonly proxy: FaultProxy
  /** Somebody else with a way of their own to the vCenter. */
  readonly other: Vcenter
  readonly cds: SimulatedCds
  readonly cdsUrl: string
  readonly guests: Guests
  readonly folder: string
  /** Whether CDS takes web sockets. */
  takesWebSockets = true
  readonly #stack: AsyncDisposableStack
  readonly #standing: Standing

  private constructor(
    parts: Pick<Ground, 'sim' | 'proxy' | 'other' | 'cds' | 'cdsUrl' | 'guests' | 'folder'>,
    stack: AsyncDisposableStack,
  ) {
    this.sim = parts.sim
    this.proxy = parts.proxy
    this.other = parts.other
    this.cds = parts.cds
    this.cdsUrl = parts.cdsUrl
    this.guests = parts.guests
    this.folder = parts.folder
    this.#stack = stack
    this.#standing = new Standing(this.other)
    this.proxy.onAnswer = this.guests.onAnswer
  }

  static async lay({ vcenter = {}, workers = {} }: GroundOptions = {}): Promise<Ground> {
    const stack = new AsyncDisposableStack()
    try {
      const folder = await mkdtemp(join(tmpdir(), 'aviary-hatchery-'))
      stack.defer(() => rm(folder, { recursive: true, force: true }))
      const sim = await startVcsim({ vms: 3, cloneMs: 150, taskMs: 30, toolsMs: 150, addressMs: 200, guest, ...vcenter })
      stack.defer(() => sim.stop())
      const proxy = await FaultProxy.start(sim.url)
      stack.defer(() => proxy.stop())
      const other = await connectTo(sim)
      stack.use(other)
      await makeTemplate(other, 'DC0_C0_RP0_VM0', template)
      await makeTemplate(other, 'DC0_C0_RP0_VM1', otherTemplate)
      const [port = 0] = await freePorts(1)
      const cdsUrl = `http://127.0.0.1:${port}`
      const cds = new SimulatedCds({ clock: realClock(), chance: realChance(), url: cdsUrl, call: [0, 2] })
      stack.defer(() => cds.stop())
      const guests = new Guests(other, workers)
      stack.defer(() => guests.stop())
      const ground = new Ground({ sim, proxy, other, cds, cdsUrl, guests, folder }, stack)
      const webSockets: SimulatedCds['webSocketHandler'] = (request, socket) =>
        ground.takesWebSockets ? cds.webSocketHandler(request, socket) : { status: 503, body: 'not today' }
      stack.use(await serveHandler({ handler: cds.handler, webSockets, port }))
      return ground
    } catch (error) {
      await stack.disposeAsync()
      throw error
    }
  }

  /** The file of an operator who wants a hatchery here. It looks after its VMs every few seconds instead of minutes. */
  async operatorFile(name: string, options: Partial<Omit<HatcheryFileOptions, 'name' | 'key' | 'api'>> = {}): Promise<OperatorFile> {
    const { more = [], vcenter = { ...this.sim, url: this.proxy.url }, ...rest } = options
    const [port = 0] = await freePorts(1)
    const path = join(this.folder, `${name}-${port}.toml`)
    const text = hatcheryFile({
      name,
      key: testRsaKey(),
      api: this.cdsUrl,
      tokenV1: this.cds.addHatcheryV1({ name }),
      tokenV2: this.cds.addHatcheryV2({ name, region }),
      port,
      vcenter,
      more: [
        `thumbprint = "${await thumbprintOf(vcenter.url)}"`,
        'workerProvisioningInterval = 3',
        'killAwolServersInterval = 2',
        'finishedWorkerGracePeriod = 1',
        ...more,
      ],
      ...rest,
    })
    await writeFile(path, text)
    return { path, pages: `http://127.0.0.1:${port}` }
  }

  /** Starts the program and waits until it serves. It ends with the ground at the latest. */
  async start({ path }: OperatorFile, dataDir?: string): Promise<HatcheryProcess> {
    const hatchery = startHatcheryProcess(path, dataDir)
    this.#stack.defer(async () => void (await hatchery.kill('SIGKILL')))
    await hatchery.ready
    return hatchery
  }

  /** Somebody starts a V2 job on the template of these tests. */
  addJob(given: { readonly flavor?: string; readonly image?: string } = {}): JobV2 {
    const { image = template, ...rest } = given
    const model = {
      name: 'debian-model',
      osarch: 'linux/amd64',
      type: 'vsphere',
      spec: { image, username: guest.user, password: guest.password },
    }
    return this.cds.addJobV2({ region, model, ...rest })
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }
}

/** Waits until something is so, and says what it came to if it is not. */
export async function until(isSo: () => boolean | Promise<boolean>, seconds = 60, otherwise: () => string = () => ''): Promise<void> {
  for (const patience = Date.now() + seconds * 1_000; Date.now() < patience; await sleep(50)) if (await isSo()) return
  throw new Error(`it did not come about within ${seconds} s: ${isSo.toString()}\n${otherwise()}`)
}

/** Turns one of the simulator's own VMs into a template of another name. */
export async function makeTemplate({ platform, connection }: Vcenter, name: string, newName: string): Promise<void> {
  const [vm] = platform.inventory.byName(name)
  if (vm === undefined) throw new Error(`the simulator has no VM ${name}`)
  await platform.powerOff(vm.id, never)
  const { session, tasks } = connection
  const task = refOf(child(await session.call('Rename_Task', { type: 'VirtualMachine', id: vm.id }, { newName }), 'returnval'))
  await tasks.end(task, { operation: 'Rename_Task', target: vm.id }, never)
  await platform.markAsTemplate(vm.id, never)
}
