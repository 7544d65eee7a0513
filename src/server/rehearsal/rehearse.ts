import { Company } from './company.ts'
import { Explained, lookEvery } from './explained.ts'
import { canRun } from './job-scene.ts'
import { drawScene, isCalm, type Scene } from './scene.ts'
import { unsettled } from './settled.ts'
import { Stage } from './stage.ts'
import { strike } from './strike.ts'
import { Watch } from './watch.ts'

/** How a rehearsal went. */
export interface Rehearsal {
  readonly scene: Scene
  /** What went wrong; empty if all went well. */
  readonly wrongs: readonly string[]
  /** Everything that happened, a line each. */
  readonly trace: () => readonly string[]
  /** Milliseconds of simulated time. */
  readonly simulated: number
  /** How many jobs came to which end. */
  readonly jobs: ReadonlyMap<string, number>
}

const minute = 60_000

/** How often it is looked whether everything is settled. */
const step = 15_000

/** By then everything must have come to its end: the slowest clock is CDS's, which fails a V2 job after an hour in the queue. */
const longest = 100 * minute

/**
 * Rehearses a seed: a stormy while of hatcheries’ lives and its aftermath, in a fraction of a second, the same each time. The storm
 * lasts as long as the seed draws, or `length` milliseconds.
 */
export async function rehearse(seed: number, length?: number): Promise<Rehearsal> {
  const stage = new Stage(drawScene(seed, length))
  const watch = new Watch(stage)
  const company = new Company(stage, watch)
  const unhandled = (reason: unknown) =>
    watch.wrong(`nobody handles a rejection: ${reason instanceof Error ? reason.stack : String(reason)}`)
  process.on('unhandledRejection', unhandled)
  try {
    await play(stage, company, watch)
  } finally {
    process.off('unhandledRejection', unhandled)
  }
  const jobs = new Map<string, number>()
  for (const { status } of stage.jobs) jobs.set(status(), (jobs.get(status()) ?? 0) + 1)
  return { scene: stage.scene, wrongs: watch.wrongs, trace: () => stage.trace.text(), simulated: stage.clock.monotonic(), jobs }
}

async function play(stage: Stage, company: Company, watch: Watch): Promise<void> {
  const { scene, clock } = stage
  await company.startAll()
  for (const job of scene.jobs) clock.after(job.at, () => stage.addJob(job))
  for (const trouble of scene.troubles) clock.after(trouble.at, () => strike(stage, company, trouble))
  const explained = new Explained(stage, watch)
  for (let passed = 0; passed < scene.length; passed += lookEvery) {
    await clock.advance(Math.min(lookEvery, scene.length - passed))
    explained.look(company.programs)
  }
  stage.endStorm()
  await company.startAll()
  for (const problem of await settle(stage, company, watch)) watch.wrong(`after ${longest / minute} minutes of good weather: ${problem}`)
  if (!(await company.stopAll(2 * minute))) watch.wrong('the program does not end when it is asked to')
  stage.cds.stop()
  if (!isCalm(scene)) return
  for (const { id, status, scene: job } of stage.jobs)
    if (status() === 'Fail' && canRun(job)) watch.wrong(`job ${id} failed although nothing went wrong`)
}

/** Moves time on until everything is settled. Resolves to what is not in the end. */
async function settle(stage: Stage, { programs, pools }: Company, watch: Watch): Promise<readonly string[]> {
  const end = stage.clock.now() + longest
  for (;;) {
    await stage.clock.advance(step)
    // What is wrong already stays so; the rest would only hide it.
    if (watch.wrongs.length > 0) return []
    const left = await unsettled(stage, programs, pools)
    if (left.length === 0 || stage.clock.now() >= end) return left
  }
}
