import type { Size } from '../../platform/index.ts'

/** Something that the hatchery is doing to a VM right now, or is about to. */
export interface Undertaking extends Disposable {
  readonly purpose: 'Job' | 'Provision' | 'Registration' | 'Template'
  /** V1 or V2; empty unless it is for a job. */
  readonly jobId: string
  /** The name that the VM has or will have; empty until one is chosen. */
  vmName: string
  /** The VM that is claimed, or was made; undefined until there is one. */
  vmId: string | undefined
  /** What it will take. Counts in addition to the fleet until the VM is on and counts itself. */
  readonly size: Size
  /** For a provision: the entry it is for, `2 debian12`. */
  readonly model: string
}

/** What an undertaking begins with. */
export type Beginning = Omit<Undertaking, typeof Symbol.dispose | 'vmId'> & { readonly vmId?: string | undefined }

/**
 * Everything that this process is doing to VMs. Whoever decides something counts it in; whoever begins something enters it here in
 * the same stretch of code as the decision, without a pause between, so that two never decide on the same capacity, job or VM.
 */
export class UnderWay {
  readonly #all = new Set<Undertaking>()
  readonly #byJob = new Lookup()
  readonly #byVmName = new Lookup()
  readonly #byVmId = new Lookup()
  /** VMs that are to be removed, by id: nobody claims them or counts them as stock. Fleet forgets those that are gone. */
  readonly doomed = new Set<string>()
  /** VMs, by name, that an earlier run of this program began to make and did not finish: nobody claims them before somebody has. */
  readonly unfinished = new Set<string>()

  readonly #listeners = new Set<() => void>()

  begin(beginning: Beginning): Undertaking {
    const undertaking = new Entry(beginning, { names: this.#byVmName, ids: this.#byVmId }, () => {
      const wasUnderWay = this.#all.delete(undertaking)
      this.#byJob.remove(undertaking.jobId, undertaking)
      if (wasUnderWay) for (const listener of this.#listeners) listener()
    })
    this.#all.add(undertaking)
    this.#byJob.add(undertaking.jobId, undertaking)
    return undertaking
  }

  /** Told whenever something is over: what it held may be free, what it made may be ready. Returns how to end that. */
  onEnd(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  all(): Iterable<Undertaking> {
    return this.#all
  }

  of(purpose: Undertaking['purpose']): readonly Undertaking[] {
    return Array.from(this.#all).filter(each => each.purpose === purpose)
  }

  hasJob(jobId: string): boolean {
    return this.#byJob.has(jobId)
  }

  /** Whether somebody works on a VM already, by id or by the name that it will have. */
  has(vm: { readonly id: string; readonly name: string }): boolean {
    return this.#byVmId.has(vm.id) || this.#byVmName.has(vm.name)
  }

  /** Whether somebody makes a VM of that name, or makes one into it. */
  hasName(vmName: string): boolean {
    return this.#byVmName.has(vmName)
  }
}

/** Undertakings by a text; the empty text finds none. */
class Lookup {
  readonly #found = new Map<string, Set<Undertaking>>()

  has(text: string): boolean {
    return this.#found.has(text)
  }

  add(text: string, undertaking: Undertaking): void {
    if (text === '') return
    const there = this.#found.get(text)
    if (there === undefined) this.#found.set(text, new Set([undertaking]))
    else there.add(undertaking)
  }

  remove(text: string, undertaking: Undertaking): void {
    const there = this.#found.get(text)
    there?.delete(undertaking)
    if (there?.size === 0) this.#found.delete(text)
  }
}

/** An undertaking that keeps itself findable under the name and the id that its VM has at the moment. */
class Entry implements Undertaking {
  readonly purpose: Undertaking['purpose']
  readonly jobId: string
  readonly size: Size
  readonly model: string
  readonly #found: { readonly names: Lookup; readonly ids: Lookup }
  readonly #end: () => void
  #vmName = ''
  #vmId = ''
  #isOver = false

  constructor(
    { purpose, jobId, size, model, vmName, vmId }: Beginning,
    found: { readonly names: Lookup; readonly ids: Lookup },
    end: () => void,
  ) {
    this.purpose = purpose
    this.jobId = jobId
    this.size = size
    this.model = model
    this.#found = found
    this.#end = end
    this.vmName = vmName
    this.vmId = vmId
  }

  get vmName(): string {
    return this.#vmName
  }

  set vmName(name: string) {
    this.#found.names.remove(this.#vmName, this)
    this.#vmName = name
    if (!this.#isOver) this.#found.names.add(name, this)
  }

  get vmId(): string | undefined {
    return this.#vmId === '' ? undefined : this.#vmId
  }

  set vmId(id: string | undefined) {
    this.#found.ids.remove(this.#vmId, this)
    this.#vmId = id ?? ''
    if (!this.#isOver) this.#found.ids.add(this.#vmId, this)
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    this.#found.names.remove(this.#vmName, this)
    this.#found.ids.remove(this.#vmId, this)
    this.#end()
  }
}
