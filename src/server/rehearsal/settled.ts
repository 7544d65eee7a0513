import { AddressLease, Spawn } from '../../kinds/index.ts'
import { markOf } from './mark.ts'
import { canRun } from './job-scene.ts'
import type { PoolScene } from './hatchery-scene.ts'
import type { Program } from './program.ts'
import type { Stage, StagedJob } from './stage.ts'

const over = new Set(['Success', 'Fail', 'Stopped', 'Cancelled', 'Skipped'])

/** Whether a job has come to its end. */
function isOver({ status }: StagedJob): boolean {
  return over.has(status())
}

/** What is still to be done before everything is as it should be; empty: it is settled. */
export async function unsettled(
  stage: Stage,
  programs: readonly Program[],
  pools: ReadonlyMap<string, readonly PoolScene[]>,
): Promise<readonly string[]> {
  const problems = [...jobProblems(stage), ...leftInCds(stage), ...addressProblems(stage)]
  for (const program of programs) {
    problems.push(...programProblems(stage, program), ...vmProblems(stage, program.name, pools.get(program.name) ?? []))
  }
  if (problems.length > 0) return problems
  for (const { name } of programs)
    problems.push(...(await recordProblems(stage, name)), ...(stage.scene.isPatient ? await leaseProblems(stage, name) : []))
  return problems
}

function jobProblems({ jobs }: Stage): readonly string[] {
  return jobs.filter(job => !isOver(job) && canRun(job.scene)).map(({ id, status }) => `job ${id} is ${status()}`)
}

function leftInCds({ cds }: Stage): readonly string[] {
  // One that has signed out, CDS forgets by itself.
  const workers = cds.workers().filter(({ status }) => status !== 'Disabled')
  return [
    ...cds.heldJobs().map(id => `job ${id} is still taken`),
    ...workers.map(({ name, status }) => `CDS lists worker "${name}" as ${status}`),
  ]
}

/** Every loop is alive, every wait has its reason, and every pool says that it is full. */
function programProblems({ jobs }: Stage, { hatchery, name }: Program): readonly string[] {
  if (hatchery === undefined) return [`${name} does not run`]
  try {
    hatchery.addresses()
  } catch (error) {
    return [`${name}: ${String(error)}`]
  }
  const dead = Array.from(hatchery.health).flatMap(([loop, isAlive]) => (isAlive ? [] : [`${name}: ${loop} is not healthy`]))
  const unexplained = jobs
    .filter(job => !isOver(job))
    .flatMap(({ id }) => {
      const row = hatchery.why(id)
      return row !== undefined && row.reason !== '' && row.message !== '' ? [] : [`${name} does not say why job ${id} waits`]
    })
  const short = hatchery
    .pools()
    .flatMap(({ version, model, wanted, ready, starting, doomed, inFlight }) =>
      ready === wanted && starting + doomed + inFlight === 0
        ? []
        : [`${name}: ${ready} of ${wanted} VMs stand ready for V${version} ${model}`],
    )
  return [...dead, ...unexplained, ...short]
}

/** No VM of ours is left but those that stand ready and the templates of worker models. */
function vmProblems({ vcenter }: Stage, hatchery: string, pools: readonly PoolScene[]): readonly string[] {
  const own = vcenter.vms().filter(vm => markOf(vm)?.hatchery === hatchery)
  const wanted = pools.reduce((sum, { number }) => sum + number, 0)
  const provisions = own.filter(vm => markOf(vm)?.isProvision === true && vm.power === 'off')
  const others = own.filter(vm => !vm.template && !provisions.includes(vm))
  return [
    ...others.map(({ name, power }) => `${hatchery} has left the VM "${name}", which is ${power}`),
    ...(provisions.length === wanted ? [] : [`${hatchery} has ${provisions.length} VMs that stand ready, and ${wanted} are wanted`]),
  ]
}

/** No two VMs are to have one address. */
function addressProblems({ vcenter }: Stage): readonly string[] {
  const holders = new Map<string, string>()
  return vcenter.vms().flatMap(vm => {
    const address = markOf(vm)?.address ?? ''
    const other = holders.get(address)
    if (address === '' || vm.template) return []
    holders.set(address, vm.name)
    return other === undefined ? [] : [`"${other}" and "${vm.name}" are both to have the address ${address}`]
  })
}

/** Records are there for jobs that wait and for nothing else. */
async function recordProblems(stage: Stage, hatchery: string): Promise<readonly string[]> {
  const store = stage.storeOf(hatchery)
  const waiting = new Set(stage.jobs.filter(job => !isOver(job)).map(({ id }) => id))
  const spawns = (await store.list(Spawn)).items.map(({ object }) => object).filter(({ spec }) => spec.hatchery === hatchery)
  const left = spawns
    .filter(({ spec, status }) => spec.purpose !== 'Job' || !waiting.has(spec.job ?? '') || status?.phase !== 'Waiting')
    .map(({ metadata, status }) => `the record ${metadata.name} is left (${status?.phase})`)
  const explained = new Set(
    spawns.flatMap(({ spec, status }) => {
      const why = status?.conditions?.find(({ type }) => type === 'Ready')
      return why?.status === 'False' && why.reason !== '' && why.message !== '' ? [spec.job ?? ''] : []
    }),
  )
  const silent = Array.from(waiting).filter(id => !explained.has(id))
  return [...left, ...silent.map(id => `no record of ${hatchery} says why job ${id} waits`)]
}

/** Addresses are leased to VMs that are there, and to nobody else, unless somebody who knows nothing of leases has them. */
async function leaseProblems(stage: Stage, hatchery: string): Promise<readonly string[]> {
  const vms = stage.vcenter.vms()
  const names = new Set(vms.map(({ name }) => name))
  const shown = new Set(vms.flatMap(vm => [...vm.addresses, markOf(vm)?.address ?? '']))
  const leases = (await stage.storeOf(hatchery).list(AddressLease)).items.map(({ object }) => object.spec)
  const unused = leases.filter(
    ({ address, holder, quarantine }) => quarantine === undefined && !names.has(holder ?? '') && !shown.has(address),
  )
  return unused.map(({ address, holder }) => `the address ${address} is leased to "${holder}", which is not there`)
}
