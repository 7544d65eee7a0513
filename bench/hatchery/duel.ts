import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { testRsaKey } from '../../src/hatchery/testing/operator-file.ts'
import { hatcheryFile } from '../../test/peers/cds/hatchery-file.ts'
import { startOriginalHatchery } from '../../test/peers/cds/original-hatchery.ts'
import { RealGround } from '../../test/peers/cds/real-ground.ts'
import { freePorts } from '../../test/peers/free-ports.ts'
import type { AnsweredCall } from '../../test/peers/vsphere/fault-proxy.ts'
import { thumbprintOf } from '../../test/peers/vsphere/vcenter.ts'
import { median } from '../frame/median.ts'

/** What starting a worker on a VM that stands ready costs a hatchery, all told; medians. */
export interface SpawnCost {
  /** Milliseconds from somebody who starts a job to the script in the guest. */
  readonly wall: number
  /** Milliseconds of processor in that time. */
  readonly cpu: number
  /** Calls of vCenter's API in that time, and bytes of its answers. */
  readonly calls: number
  readonly bytes: number
  /** Milliseconds of processor in an idle minute. */
  readonly idle: number
  readonly memory: number
}

/** A hatchery that runs. */
interface Contestant {
  readonly name: string
  readonly pid: number
  log(): string
  stop(): Promise<unknown>
}

/** How many VMs of others there are, and how many jobs each hatchery gets. */
export interface DuelOptions {
  readonly vms: number
  readonly jobs: number
  say(line: string): void
}

/** The original hatchery and this one, one after the other, for the real CDS API on the same simulated vCenter, with the same file. */
export async function duel({ vms, jobs, say }: DuelOptions): Promise<{ readonly original: SpawnCost; readonly own: SpawnCost }> {
  await using ground = await RealGround.lay({ vms, cloneMs: 1_000, taskMs: 100, toolsMs: 2_000, addressMs: 2_500 })
  const calls: AnsweredCall[] = []
  ground.proxy.onAnswer = call => {
    calls.push(call)
    ground.guests.onAnswer(call)
  }
  // All intervals are the documented ones. More VMs than jobs stand ready, so that nobody waits for another to be made.
  const vcenter = { ...ground.sim, url: ground.proxy.url }
  const fileFor = async (name: string) => {
    const { v1: tokenV1, v2: tokenV2 } = await ground.administrator.addHatchery(name, { region: ground.region })
    const more = [`workerProvisioningPoolSize = ${jobs + 1}`]
    return { name, tokenV1, tokenV2, api: ground.door.url, vcenter, ready: jobs + 1, starting: vms + 100, more }
  }
  const theirs = async (): Promise<Contestant> => ({ name: 'original', ...(await startOriginalHatchery(await fileFor('original'))) })
  const ours = async (): Promise<Contestant> => {
    const file = await fileFor('own')
    const [port = 0] = await freePorts(1)
    const path = join(ground.folder, 'own.toml')
    const more = [...file.more, `thumbprint = "${await thumbprintOf(vcenter.url)}"`]
    writeFileSync(path, hatcheryFile({ ...file, more, key: testRsaKey(), port }), { mode: 0o600 })
    const started = await ground.start({ path, pages: `http://127.0.0.1:${port}` }, `${ground.folder}/own`)
    return { name: 'own', pid: started.pid, log: () => started.log(), stop: () => started.kill('SIGTERM') }
  }
  const costs: SpawnCost[] = []
  for (const begin of [theirs, ours]) {
    const contestant = await begin()
    say(`${contestant.name} runs among ${vms} VMs`)
    costs.push(await spawnCost(ground, contestant, calls, jobs, say))
    await contestant.stop()
    // What it leaves behind belongs to nobody who is here.
    for (const { id } of ground.vms()) await ground.other.platform.destroy(id, new AbortController().signal)
  }
  const [original, own] = costs
  if (original === undefined || own === undefined) throw new Error('one of them has not run')
  return { original, own }
}

async function spawnCost(
  ground: RealGround,
  { name, pid, log }: Contestant,
  calls: AnsweredCall[],
  jobs: number,
  say: (line: string) => void,
): Promise<SpawnCost> {
  // A VM that was just cloned is off for a moment, and not ready yet.
  let since = 0
  const isReady = () => {
    since = ground.ready().length > jobs ? since || Date.now() : 0
    return since > 0 && Date.now() - since > 5_000
  }
  const until = (isSo: () => boolean) => untilSo(isSo, 600, log)
  await until(isReady)
  const idleFrom = cpuOf(pid)
  await sleep(60_000)
  const idle = cpuOf(pid) - idleFrom
  const rounds: { readonly wall: number; readonly cpu: number; readonly calls: number; readonly bytes: number }[] = []
  for (let number = 0; number < jobs; number++) {
    await sleep(10_000)
    calls.length = 0
    const cpu = cpuOf(pid)
    const launches = ground.guests.programs.filter(isLaunch).length
    const began = performance.now()
    await ground.startJob()
    await until(() => ground.guests.programs.filter(isLaunch).length > launches)
    const wall = performance.now() - began
    rounds.push({ wall, cpu: cpuOf(pid) - cpu, calls: calls.length, bytes: calls.reduce((sum, { received }) => sum + received, 0) })
    say(`${name}, job ${number + 1} of ${jobs}: ${JSON.stringify(rounds.at(-1))}`)
  }
  const of = (what: 'wall' | 'cpu' | 'calls' | 'bytes') => median(rounds.map(round => round[what]))
  return { wall: of('wall'), cpu: of('cpu'), calls: of('calls'), bytes: of('bytes'), idle, memory: memoryOf(pid) }
}

function isLaunch({ environment }: { readonly environment: Readonly<Record<string, string>> }): boolean {
  return environment['CDS_CONFIG'] !== undefined
}

async function untilSo(isSo: () => boolean, seconds: number, log: () => string): Promise<void> {
  for (const patience = Date.now() + seconds * 1_000; Date.now() < patience; await sleep(5)) if (isSo()) return
  throw new Error(`${String(isSo)} did not come about within ${seconds} s. The hatchery said:\n${log().split('\n').slice(-30).join('\n')}`)
}

/** Milliseconds of processor that a process and its children have used so far. */
function cpuOf(pid: number): number {
  const ticks = (process: number): number => {
    const [, rest = ''] = readFileSync(`/proc/${process}/stat`, 'utf8').split(') ')
    const [user = 0, system = 0] = rest.split(' ').slice(11, 13).map(Number)
    return user + system
  }
  return 10 * [pid, ...childrenOf(pid)].reduce((sum, process) => sum + ticks(process), 0)
}

/** Resident megabytes. */
function memoryOf(pid: number): number {
  const resident = (process: number) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${process}/status`, 'utf8'))?.[1] ?? 0)
  return [pid, ...childrenOf(pid)].reduce((sum, process) => sum + resident(process), 0) / 1024
}

function childrenOf(pid: number): readonly number[] {
  const tasks = readdirSync(`/proc/${pid}/task`)
  const own = tasks.flatMap(task => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number))
  return own.flatMap(child => [child, ...childrenOf(child)])
}
