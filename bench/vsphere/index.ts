/**
 * The vSphere client beside govmomi, at the same simulated vCenter in the same run: listing, watching, and 300 VM lives at once on one
 * session.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { startVcsim, usePeer, type Vcsim } from '../../test/peers/peer.ts'
import { connectTo, never, thumbprintOf } from '../../test/peers/vsphere/vcenter.ts'
import { makeTemplate } from '../../test/peers/vsphere/vcsim-world.ts'
import { inChild, type Measured } from '../frame/child-process.ts'
import { median } from '../frame/median.ts'
import type { Result } from '../frame/result.ts'
import type { SuiteOptions } from '../run.ts'

/** Every measurement; `--quick` does 1,000 VMs and 100 lives only. */
export async function suite({ only, quick, rounds = quick ? 3 : 5, say }: SuiteOptions): Promise<readonly Result[]> {
  const wanted = (name: string) => only.length === 0 || only.some(start => name.startsWith(start))
  const results: Result[] = []
  for (const size of quick ? [1_000] : [1_000, 10_000]) {
    if (!wanted('list') && !wanted('watch')) break
    say(`starting a vCenter with ${size} VMs`)
    const sim = await startVcsim({ vms: size, taskMs: 1 })
    try {
      if (wanted('list')) for (const mode of ['min', 'full'] as const) results.push(...(await listing(sim, size, mode, rounds, say)))
      if (wanted('watch')) results.push(...(await watching(sim, size, rounds, say)))
    } finally {
      await sim.stop()
    }
  }
  if (wanted('lives')) results.push(await lives(quick ? 100 : 300, say))
  return results
}

/** Both programs by turns at one vCenter, several rounds. */
async function byTurns(sim: Vcsim, child: string, mode: string, rounds: number, tell: (round: number) => void) {
  const govmomi = await usePeer('govmomi-bench')
  const target = new URL(sim.url)
  target.username = sim.user
  target.password = sim.password
  const thumbprint = await thumbprintOf(sim.url)
  const [mine, theirs]: [Measured[], Measured[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    tell(round + 1)
    mine.push(await inChild(new URL(child, import.meta.url), [sim.url, sim.user, sim.password, thumbprint, mode]))
    theirs.push(JSON.parse((await promisify(execFile)(govmomi, [target.href, mode])).stdout) as Measured)
  }
  return { mine, theirs }
}

const medianOf = (measured: readonly Measured[], what: string) => median(measured.map(each => each[what]!))

async function listing(sim: Vcsim, size: number, mode: 'min' | 'full', rounds: number, say: (line: string) => void): Promise<Result[]> {
  const tell = (round: number) => say(`listing ${size} VMs, ${mode}, round ${round} of ${rounds}`)
  const { mine, theirs } = await byTurns(sim, 'aviary-child.ts', mode, rounds, tell)
  const most = mode === 'min' ? 0.35 : 0.5
  const name = `list ${size} VMs, ${mode === 'min' ? 'what is watched' : 'everything'}`
  const details = { mine, theirs }
  const cpu = (when: 'first' | 'later'): Result => {
    const [value, peer] = [medianOf(mine, when), medianOf(theirs, when)]
    const outcome = { name: `${name}: CPU, ${when}`, unit: 'ms', value, peer, ratio: peer / value, details }
    // A server lists again and again; what the first time costs beside that is the compiler's.
    return when === 'first' ? outcome : { ...outcome, target: `≤ ${most}× govmomi`, met: value <= most * peer }
  }
  return [cpu('first'), cpu('later')]
}

async function watching(sim: Vcsim, size: number, rounds: number, say: (line: string) => void): Promise<Result[]> {
  const tell = (round: number) => say(`watching ${size} VMs, round ${round} of ${rounds}`)
  const { mine, theirs } = await byTurns(sim, 'watching-child.ts', 'watch', rounds, tell)
  const [value, peer] = [medianOf(mine, 'median'), medianOf(theirs, 'median')]
  const details = { mine, theirs }
  return [
    {
      name: `watch ${size} VMs: from a change to the index`,
      unit: 'ms',
      value,
      peer,
      ratio: peer / value,
      target: '≤ 1.2× govmomi',
      met: value <= 1.2 * peer,
      details,
    },
    { name: `watch ${size} VMs: memory per VM`, unit: 'bytes', value: medianOf(mine, 'bytesPerVm'), details: {} },
  ]
}

async function lives(count: number, say: (line: string) => void): Promise<Result> {
  say(`${count} VMs made, started, claimed and removed at once on one session`)
  const sim = await startVcsim({ vms: 100, cloneMs: 500, taskMs: 100, toolsMs: 500, addressMs: 600 })
  try {
    const mine = await connectTo(sim)
    const template = await makeTemplate(mine)
    const began = performance.now()
    const outcomes = await Promise.allSettled(
      Array.from({ length: count }, async (_, number) => {
        const { platform } = mine
        const name = `life-${number}`
        const { id } = await platform.clone({ name, annotation: name, template, isOurs: vm => vm.annotation === name }, never)
        await platform.claim({ id, expectedName: name, name: `${name}-claimed`, annotation: name, cpus: 2 }, never)
        await platform.powerOn(id, never)
        await platform.waitForAddress(id, () => true, never)
        await platform.destroy(id, never)
      }),
    )
    const seconds = (performance.now() - began) / 1000
    const failed = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [String(outcome.reason)] : []))
    const during = await sim.state()
    await mine[Symbol.asyncDispose]()
    const after = await sim.state()
    const clean = during.sessions === 1 && during.tasks === 0 && during.filters === 3 && after.sessions === 0
    const target = 'all succeed, no task, filter or session left'
    return {
      name: `lives: ${count} at once`,
      unit: 's',
      value: seconds,
      target,
      met: failed.length === 0 && clean,
      details: { failed, during, after },
    }
  } finally {
    await sim.stop()
  }
}
