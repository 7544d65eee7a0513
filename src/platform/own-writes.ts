import type { Clock, Timer } from '../ports/index.ts'
import type { Vm } from './platform.ts'

/** What this program writes of a VM; the rest is the platform's to say. */
const writtenFields = ['name', 'annotation', 'note', 'power', 'template', 'cpus', 'memoryMB'] as const

type WrittenField = (typeof writtenFields)[number]

interface OwnWrite {
  /** What was written; undefined for a removal. */
  readonly vm: Vm | undefined
  /** The fields that the write changed: only of these it knows better than a late report. */
  readonly fields: ReadonlySet<WrittenField>
  /** Whether this program made the VM, so that a report under way may not have it yet. */
  readonly made: boolean
  /** The last report that contradicts the write. It comes true if nothing agrees in time. */
  report: { readonly vm: Vm | undefined } | undefined
  readonly timer: Timer
}

/** What a report means: show this VM (undefined: none). */
interface Verdict {
  readonly show: Vm | undefined
}

/**
 * Own writes that the watch has not confirmed yet. A watch lags, and for a moment contradicts what this program knows it did;
 * the write then outweighs the report. But a write may also be undone by others, so the doubt ends after a while: what was last
 * reported is then the truth.
 */
export class OwnWrites {
  readonly #clock: Clock
  readonly #longestDoubt: number
  readonly #writes = new Map<string, OwnWrite>()
  readonly #believe: (id: string, vm: Vm | undefined) => void
  readonly #settled: (id: string) => void

  /** `believe` is called when a doubt ends and a remembered report turns out to be the truth; `settled` whenever a doubt has ended. */
  constructor(
    clock: Clock,
    longestDoubt: number,
    { believe, settled }: { readonly believe: (id: string, vm: Vm | undefined) => void; readonly settled: (id: string) => void },
  ) {
    this.#clock = clock
    this.#longestDoubt = longestDoubt
    this.#believe = believe
    this.#settled = settled
  }

  /** Of which VMs there is a doubt. */
  ids(): Iterable<string> {
    return this.#writes.keys()
  }

  /** Whether the watch has yet to confirm what was last written of a VM. */
  has(id: string): boolean {
    return this.#writes.has(id)
  }

  /** This program wrote a VM that so far looked like `old`. */
  wrote(vm: Vm, old: Vm | undefined): void {
    const before = this.#writes.get(vm.id)
    const unconfirmed = before?.vm === undefined ? [] : before.fields
    const changed = old === undefined ? writtenFields : writtenFields.filter(field => !sameField(old, vm, field))
    const fields = new Set<WrittenField>([...unconfirmed, ...changed])
    if (fields.size > 0) this.#remember(vm.id, vm, fields, old === undefined || before?.made === true)
  }

  /** This program removed a VM. */
  removed(id: string): void {
    this.#remember(id, undefined, new Set(), false)
  }

  /** The watch reports a VM: what is to be shown of it. */
  reported(vm: Vm): Verdict {
    const own = this.#writes.get(vm.id)
    if (own === undefined) return { show: vm }
    if (own.vm === undefined) {
      own.report = { vm }
      return { show: undefined }
    }
    const written = own.vm
    const doubtful = [...own.fields].filter(field => !sameField(written, vm, field))
    if (doubtful.length === 0) {
      this.#forget(vm.id)
      return { show: vm }
    }
    own.report = { vm }
    return { show: Object.freeze({ ...vm, ...Object.fromEntries(doubtful.map(field => [field, written[field]])) }) }
  }

  /** The watch reports that a VM is gone: whether to believe it now. */
  reportedGone(id: string): boolean {
    const own = this.#writes.get(id)
    if (own === undefined) return true
    // A VM that this program made may be missing from a report that was under way; one that the watch has shown is really gone.
    if (own.vm !== undefined && own.made && (own.report === undefined || own.report.vm === undefined)) {
      own.report = { vm: undefined }
      return false
    }
    this.#forget(id)
    return true
  }

  #remember(id: string, vm: Vm | undefined, fields: ReadonlySet<WrittenField>, made: boolean): void {
    this.#writes.get(id)?.timer.cancel()
    const timer = this.#clock.after(this.#longestDoubt, () => {
      this.#writes.delete(id)
      if (own.report !== undefined) this.#believe(id, own.report.vm)
      // A watch that lives shows every new VM. One that it never showed went away before this program could speak of it.
      else if (made) this.#believe(id, undefined)
      this.#settled(id)
    })
    const own: OwnWrite = { vm, fields, made, report: undefined, timer }
    this.#writes.set(id, own)
  }

  #forget(id: string): void {
    this.#writes.get(id)?.timer.cancel()
    this.#writes.delete(id)
    this.#settled(id)
  }
}

function sameField(one: Vm, other: Vm, field: WrittenField): boolean {
  // The note is what the annotation says: it moves with it, and is no separate fact.
  return field === 'note' ? one.annotation === other.annotation : one[field] === other[field]
}
