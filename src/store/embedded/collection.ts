import type { Kind } from '../../kinds/index.ts'
import type { CompiledSelection } from '../selectors/selection.ts'
import type { Change } from './change.ts'
import { Fifo } from './fifo.ts'
import { SortedKeys } from './sorted-keys.ts'
import { ValueIndex } from './value-index.ts'
import type { Version } from './version.ts'

/** All objects of one kind, as they are now, and their changes as far back as the history reaches. */
export class Collection {
  /** Undefined for objects on disk whose kind this program does not know: they are kept, and otherwise left alone. */
  readonly kind: Kind | undefined
  /** Changes in order; the history drops the oldest ones. */
  readonly changes = new Fifo<Change>()
  readonly #versions = new Map<string, Version>()
  readonly #keys = new SortedKeys()
  readonly #labels = new Map<string, ValueIndex>()
  readonly #fields: readonly ValueIndex[]

  constructor(kind: Kind | undefined) {
    this.kind = kind
    this.#fields = (kind?.selectableFields ?? []).map(() => new ValueIndex())
  }

  get size(): number {
    return this.#versions.size
  }

  get(key: string): Version | undefined {
    return this.#versions.get(key)
  }

  /** Every object, in no order. */
  all(): IterableIterator<Version> {
    return this.#versions.values()
  }

  /** Takes over a change that has become durable. */
  apply(change: Change): void {
    const { key, previous, current } = change
    this.#reindex(previous, current)
    if (current === undefined) {
      this.#versions.delete(key)
      this.#keys.remove(key)
    } else {
      if (previous === undefined) this.#keys.add(key)
      this.#versions.set(key, current)
    }
    this.changes.push(change)
  }

  /** Takes over everything at once, on opening. */
  fill(versions: Iterable<Version>): void {
    for (const version of versions) {
      this.#versions.set(version.key, version)
      this.#reindex(undefined, version)
    }
    this.#keys.fill([...this.#versions.keys()])
  }

  /** The keys from `start` on that begin with `prefix`, in order. */
  *keysFrom(start: string, prefix: string): Generator<string, void, undefined> {
    for (const key of this.#keys.from(start > prefix ? start : prefix)) {
      if (!key.startsWith(prefix)) return
      yield key
    }
  }

  /** How many keys from `start` on begin with `prefix`. */
  countFrom(start: string, prefix: string): number {
    const end = prefix === '' ? this.#keys.size : this.#keys.rank(afterPrefix(prefix))
    return Math.max(0, end - this.#keys.rank(start > prefix ? start : prefix))
  }

  /**
   * The keys of at least those objects that can match, by the index that leaves the fewest; undefined if none helps and all keys
   * have to be looked at.
   */
  candidates({ key, labels, fields }: CompiledSelection): Iterable<string> | undefined {
    if (key !== undefined) return this.#versions.has(key) ? [key] : []
    let fewest = this.#versions.size / 2
    let best: Iterable<string> | undefined
    const consider = (index: ValueIndex | undefined, values: readonly string[]) => {
      const count = index === undefined ? 0 : values.reduce((sum, value) => sum + index.count(value), 0)
      if (count >= fewest) return
      fewest = count
      best = index === undefined ? [] : values.length === 1 ? index.keys(values[0]!) : values.flatMap(value => [...index.keys(value)])
    }
    for (const { key: label, operator, values } of labels) if (operator === 'in') consider(this.#labels.get(label), values)
    for (const { path, equal, value } of fields) {
      const index = this.#fields[this.kind!.selectableFields.indexOf(path)]
      if (equal && index !== undefined) consider(index, [value])
    }
    return best
  }

  /** Most writes touch no label; then there is nothing to do. */
  #reindex(previous: Version | undefined, current: Version | undefined): void {
    const before = previous?.labels
    const after = current?.labels
    for (const label in before) {
      if (before[label] === after?.[label]) continue
      const index = this.#labels.get(label)!
      index.remove(before[label]!, previous!.key)
      if (index.empty) this.#labels.delete(label)
    }
    for (const label in after) {
      if (after[label] === before?.[label]) continue
      let index = this.#labels.get(label)
      if (index === undefined) this.#labels.set(label, (index = new ValueIndex()))
      index.add(after[label]!, current!.key)
    }
    this.#fields.forEach((index, at) => {
      if (previous?.fields[at] === current?.fields[at]) return
      if (previous !== undefined) index.remove(previous.fields[at]!, previous.key)
      if (current !== undefined) index.add(current.fields[at]!, current.key)
    })
  }
}

/** The first text after all that begin with `prefix`, which ends with a slash. */
function afterPrefix(prefix: string): string {
  return `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`
}
