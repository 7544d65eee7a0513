import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Ground, type OperatorFile, otherTemplate, template, until } from './ground.ts'
import type { HatcheryProcess } from './hatchery-process.ts'

/** A moment at which the program is killed: with a call of this method, the first or a later one, that arrives at vCenter or does not. */
interface Moment {
  readonly during: string
  readonly method: string
  readonly count?: number
  readonly image?: string
  /** Whether it is not the job's own VM, but the next one that is to stand ready. */
  readonly refills?: boolean
  /** Whether the job was stopped and its worker does not hear of it, until its time is over. */
  readonly overstays?: boolean
}

const moments: readonly Moment[] = [
  { during: 'the clone', method: 'CloneVM_Task', image: otherTemplate },
  { during: 'the first start of a clone', method: 'PowerOnVM_Task', image: otherTemplate },
  { during: 'the claim', method: 'ReconfigVM_Task' },
  { during: 'the start of a claimed VM', method: 'PowerOnVM_Task' },
  { during: 'the probe of the guest', method: 'StartProgramInGuest' },
  { during: 'the launch of the worker', method: 'StartProgramInGuest', count: 2 },
  { during: 'the removal', method: 'Destroy_Task' },
  { during: 'the switching off of a worker whose time is over', method: 'PowerOffVM_Task', overstays: true },
  // One VM stands ready, and the job takes it.
  { during: 'the clone of the next VM that is to stand ready', method: 'CloneVM_Task', refills: true },
  { during: 'its first start', method: 'PowerOnVM_Task', count: 2, refills: true },
  { during: 'the note that it was on', method: 'ReconfigVM_Task', count: 2, refills: true },
  { during: 'its switching off', method: 'PowerOffVM_Task', refills: true },
]

const timeout = 400_000
let ground: Ground
let file: OperatorFile
let runs = 0

beforeAll(async () => {
  ground = await Ground.lay()
  // Whether a worker was launched before the end nobody knows: it gets this long to sign in. Jobs take less than a second here.
  file = await ground.operatorFile('hv1', { ready: 1, more: ['workerRegistrationTTL = 1', 'workerTTL = 1'] })
})
afterAll(() => ground?.[Symbol.asyncDispose]())

const isOver = ({ status }: { readonly status: string }) => ['Success', 'Fail', 'Stopped'].includes(status)
const saw = (hatchery: HatcheryProcess) => () => `${hatchery.log().split('\n').slice(-40).join('\n')}\n${ground.guests.ends.join('\n')}`
/** Nothing is left but one VM that stands ready. */
const isTidy = () => ground.ready().length === 1 && ground.vms().length === 1

/** Kills the program with a call; resolves when it is dead. */
function killWith(hatchery: HatcheryProcess, { method, count = 1 }: Moment, arrives: boolean): Promise<void> {
  return new Promise(resolve => {
    let seen = 0
    const kill = () => {
      ground.proxy.fault = () => undefined
      void hatchery.kill('SIGKILL').then(() => resolve())
    }
    ground.proxy.fault = called => {
      if (called !== method || ++seen !== count) return undefined
      if (!arrives) kill()
      return arrives ? 'cut after' : 'cut before'
    }
    ground.proxy.onAnswer = call => {
      ground.guests.onAnswer(call)
      if (arrives && call.method === method && seen === count) kill()
    }
  })
}

/** A job whose program is killed and started again: it comes to its end on one worker, and nothing is left. */
async function tell(moment: Moment, { arrives, losesStore }: { readonly arrives: boolean; readonly losesStore: boolean }): Promise<string> {
  const dataDir = join(ground.folder, `data-${++runs}`)
  const first = await ground.start(file, dataDir)
  await until(isTidy, 120, saw(first))
  let isDead = false
  const arm = () => void killWith(first, moment, arrives).then(() => (isDead = true))
  ground.guests.worksFor(moment.overstays === true ? 600_000 : 500)
  if (moment.overstays !== true) arm()
  const job = ground.addJob({ image: moment.image ?? template })
  if (moment.overstays === true) {
    await until(() => job.status === 'Building' && ground.ready().length === 1, 60, saw(first))
    arm()
    ground.cds.stopJob(job.id)
  }
  await until(() => isDead, 120, saw(first))
  ground.proxy.onAnswer = ground.guests.onAnswer
  if (losesStore) await rm(dataDir, { recursive: true, force: true })
  const second = await ground.start(file, dataDir)
  await until(() => isOver(job), 180, saw(second))
  await until(isTidy, 120, saw(second))
  const { code, log } = await second.kill('SIGTERM')
  expect(code, log).toBe(0)
  expect(ground.cds.wrongs()).toEqual({ onTwoWorkers: [], startedAgain: [], resurrected: [], takenFromWorker: [] })
  expect(ground.cds.heldJobs()).toEqual([])
  expect((await ground.sim.state()).tasks).toBe(0)
  return job.status
}

const endOf = ({ overstays = false }: Moment) => (overstays ? 'Stopped' : 'Success')

describe('killed in the middle of', () => {
  test.each(moments)('$during, before vCenter hears of it, it goes on where it was', { timeout }, async moment => {
    expect(await tell(moment, { arrives: false, losesStore: false })).toBe(endOf(moment))
  })

  test.each(moments)('$during, after vCenter has done it, it goes on where it was', { timeout }, async moment => {
    expect(await tell(moment, { arrives: true, losesStore: false })).toBe(endOf(moment))
  })
})

describe('killed and its data folder lost in the middle of', () => {
  // Each VM carries what is known of it, the job's own and the next one that is to stand ready.
  const recorded = moments.filter(({ overstays }) => overstays !== true)

  test.each(recorded)('$during, the VM itself tells where it was', { timeout }, async moment => {
    expect(await tell(moment, { arrives: true, losesStore: true })).toBe(endOf(moment))
  })
})
