import { writeFileSync } from 'node:fs'
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
import { cpuOf, memoryOf } from './process-usage.ts'

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

/** A hatchery that can be started again and again, and one that runs. */
interface Contestant {
  readonly name: 'original' | 'own'
  start(): Promise<Running>
}

interface Running {
  readonly pid: number
  log(): string
  stop(): Promise<unknown>
}

/** How many VMs of others there are, how often each hatchery has its turn, and how many jobs it gets in one. */
export interface DuelOptions {
  readonly vms: number
  readonly rounds: number
  readonly jobs: number
  say(line: string): void
}

type JobCost = Pick<SpawnCost, 'wall' | 'cpu' | 'calls' | 'bytes'>
type Round = Pick<SpawnCost, 'idle' | 'memory'> & { readonly jobs: readonly JobCost[] }

/**
 * The original hatchery and this one for the real CDS API on the same simulated vCenter, with the same file: in turns, so that what
 * the machine is busy with meanwhile falls on both, and never at the same time, so that neither bears the other's load.
 */
export async function duel({ vms, rounds, jobs, say }: DuelOptions): Promise<Readonly<Record<Contestant['name'], SpawnCost>>> {
  await using ground = await RealGround.lay({ vms, cloneMs: 1_000, taskMs: 100, toolsMs: 2_000, addressMs: 2_500 })
  const calls: AnsweredCall[] = []
  ground.proxy.onAnswer = call => {
    calls.push(call)
    ground.guests.onAnswer(call)
  }
  const contestants = [await theirs(ground, vms, jobs), await ours(ground, vms, jobs)]
  const played: Record<Contestant['name'], Round[]> = { original: [], own: [] }
  for (let number = 1; number <= rounds; number++) {
    for (const { name, start } of contestants) {
      const running = await start()
      const tell = (what: string) => say(`${name}, round ${number} of ${rounds}, among ${vms} VMs: ${what}`)
      played[name].push(await play(ground, running, calls, jobs, tell))
      await running.stop()
      // What it leaves behind belongs to nobody who is here.
      for (const { id } of ground.vms()) await ground.other.platform.destroy(id, new AbortController().signal)
    }
  }
  return { original: middleOf(played.original), own: middleOf(played.own) }
}

/** The original, signed up at CDS once. */
async function theirs(ground: RealGround, vms: number, jobs: number): Promise<Contestant> {
  const file = await fileFor('original', ground, vms, jobs)
  return { name: 'original', start: () => startOriginalHatchery(file) }
}

/** Ours, with an empty data folder each time: the original has none. */
async function ours(ground: RealGround, vms: number, jobs: number): Promise<Contestant> {
  const file = await fileFor('own', ground, vms, jobs)
  const [port = 0] = await freePorts(1)
  const path = join(ground.folder, 'own.toml')
  const more = [...file.more, `thumbprint = "${await thumbprintOf(file.vcenter.url)}"`]
  writeFileSync(path, hatcheryFile({ ...file, more, key: testRsaKey(), port }), { mode: 0o600 })
  let starts = 0
  return {
    name: 'own',
    start: async () => {
      const started = await ground.start({ path, pages: `http://127.0.0.1:${port}` }, join(ground.folder, `own-${++starts}`))
      return { pid: started.pid, log: () => started.log(), stop: () => started.kill('SIGTERM') }
    },
  }
}

/** All intervals are the documented ones. More VMs than jobs stand ready, so that nobody waits for another to be made. */
async function fileFor(name: Contestant['name'], ground: RealGround, vms: number, jobs: number) {
  const { v1: tokenV1, v2: tokenV2 } = await ground.administrator.addHatchery(name, { region: ground.region })
  const vcenter = { ...ground.sim, url: ground.proxy.url }
  const more = [`workerProvisioningPoolSize = ${jobs + 1}`]
  return { name, tokenV1, tokenV2, api: ground.door.url, vcenter, ready: jobs + 1, starting: vms + 100, more }
}

/** One turn: an idle minute, then jobs one after another. */
async function play(
  ground: RealGround,
  { pid, log }: Running,
  calls: AnsweredCall[],
  count: number,
  say: (line: string) => void,
): Promise<Round> {
  // A VM that was just cloned is off for a moment, and not ready yet.
  let since = 0
  const isReady = () => {
    since = ground.ready().length > count ? since || Date.now() : 0
    return since > 0 && Date.now() - since > 5_000
  }
  const until = (isSo: () => boolean) => untilSo(isSo, 600, log)
  await until(isReady)
  const idleFrom = cpuOf(pid)
  await sleep(60_000)
  const idle = cpuOf(pid) - idleFrom
  const jobs: JobCost[] = []
  while (jobs.length < count) {
    await sleep(10_000)
    calls.length = 0
    const cpu = cpuOf(pid)
    const launches = ground.guests.programs.filter(isLaunch).length
    const began = performance.now()
    await ground.startJob()
    await until(() => ground.guests.programs.filter(isLaunch).length > launches)
    const wall = performance.now() - began
    jobs.push({ wall, cpu: cpuOf(pid) - cpu, calls: calls.length, bytes: calls.reduce((sum, { received }) => sum + received, 0) })
    say(`job ${jobs.length} of ${count}: ${JSON.stringify(jobs.at(-1))}`)
  }
  // The last job comes to its end, so that nothing of this turn is left in the queue of the next.
  await sleep(10_000)
  return { idle, memory: memoryOf(pid), jobs }
}

function middleOf(rounds: readonly Round[]): SpawnCost {
  const ofJobs = (what: keyof JobCost) => median(rounds.flatMap(({ jobs }) => jobs.map(job => job[what])))
  const ofRounds = (what: 'idle' | 'memory') => median(rounds.map(round => round[what]))
  return {
    wall: ofJobs('wall'),
    cpu: ofJobs('cpu'),
    calls: ofJobs('calls'),
    bytes: ofJobs('bytes'),
    idle: ofRounds('idle'),
    memory: ofRounds('memory'),
  }
}

function isLaunch({ environment }: { readonly environment: Readonly<Record<string, string>> }): boolean {
  return environment['CDS_CONFIG'] !== undefined
}

async function untilSo(isSo: () => boolean, seconds: number, log: () => string): Promise<void> {
  for (const patience = Date.now() + seconds * 1_000; Date.now() < patience; await sleep(5)) if (isSo()) return
  throw new Error(`${String(isSo)} did not come about within ${seconds} s. The hatchery said:\n${log().split('\n').slice(-30).join('\n')}`)
}
