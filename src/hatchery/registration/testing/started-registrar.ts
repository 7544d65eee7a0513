import type { GuestProgram } from '../../../simulation/index.ts'
import { readWorkerNote } from '../../fleet/worker-note.ts'
import { Attempts } from '../../gates/attempts.ts'
import { Gates } from '../../gates/gates.ts'
import { Spawner } from '../../spawn/spawner.ts'
import { Bench, type BenchOptions, type Run } from '../../testing/keeping-bench.ts'
import { v1Model } from '../../testing/scripted-cds.ts'
import { Registrar } from '../registrar.ts'
import { RegistrationWaits } from '../registration-waits.ts'

/** The guest of a model: PostCmd shuts it down, and a worker that registers tells CDS so. */
export function playGuests(bench: Bench): string[] {
  const programs: string[] = []
  bench.world.onProgram((program: GuestProgram) => {
    const script = program.args.replace('-n ;', '')
    const vm = program.vm()
    programs.push(`${vm?.name}: ${script.split('\n').find(line => line !== '')}`)
    if (script === 'env') return program.exit(0)
    // By this the test sees of which template later VMs are made.
    if (vm?.name.endsWith('-tmp') === true) bench.world.changeVm(vm.id, { memoryMB: 5000 })
    if (script.includes('register')) {
      const path = readWorkerNote(vm!)!.workerModelPath
      bench.cds.models = bench.cds.models.map(model =>
        `${model.group}/${model.name}` === path ? { ...model, needRegistration: false, checkRegistration: false } : model,
      )
    }
    program.shutDown()
  })
  return programs
}

/** A registrar with all that it needs, on a bench. */
export function registrarOf(run: Run) {
  const { settings, clock, chance, pool, models, log } = run
  const attempts = new Attempts({ max: settings.provision.maxAttempts, clock, chance })
  const registrations = new RegistrationWaits(settings.provision)
  const gates = new Gates({ ...run, attempts, pool, models, registrations, log })
  const cdn = async () => ({ http: 'http://cdn', tcp: 'cdn:8090', tcpTls: false })
  const spawning = { ...run, attempts, counters: { count: () => {} }, cdn }
  return { registrar: new Registrar({ ...run, gates, registrations, spawner: new Spawner(spawning) }), spawning, gates, registrations }
}

/** A registrar that runs on a bench with one model, which must be registered. */
export async function startedRegistrar(options: BenchOptions = {}, prepare: (bench: Bench) => void = () => {}) {
  const bench = new Bench(options)
  const programs = playGuests(bench)
  bench.cds.models = [v1Model({ needRegistration: true })]
  prepare(bench)
  const run = await bench.run()
  const { registrar, gates, registrations } = registrarOf(run)
  registrar.start()
  const said = () => bench.log.lines.filter(({ message }) => message === 'a worker model must be registered and has to wait')
  return { bench, run, registrar, programs, gates, registrations, said }
}
