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
  #versions = new Map<string, Version>()
  readonly #keys = new SortedKeys()
  readonly #labels = new Map<string, Label>()
  /** By selectable field, as soon as somebody has asked for it. */
  readonly #fields = new Map<number, ValueIndex>()

  constructor(kind: Kind | undefined) {
    this.kind = kind
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

  /** Takes over everything at once, by key, on opening. The map is its own from then on. */
  fill(versions: Map<string, Version>): void {
    this.#versions = versions
    for (const version of versions.values()) this.#reindex(undefined, version)
    this.#keys.fill([...versions.keys()])
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
    for (const { key: label, operator, values } of labels) if (operator === 'in') consider(this.#labelIndex(label), values)
    for (const { path, equal, value } of fields) {
      const at = this.kind!.selectableFields.indexOf(path)
      if (equal && at >= 0) consider(this.#fieldIndex(at), [value])
    }
    return best
  }

  /** Undefined if no object has the label. */
  #labelIndex(name: string): ValueIndex | undefined {
    const label = this.#labels.get(name)
    if (label !== undefined) label.index ??= this.#indexBy(({ labels }) => labels?.[name])
    return label?.index
  }

  #fieldIndex(at: number): ValueIndex {
    let index = this.#fields.get(at)
    if (index === undefined) this.#fields.set(at, (index = this.#indexBy(({ fields }) => fields[at])))
    return index
  }

  #indexBy(valueOf: (version: Version) => string | undefined): ValueIndex {
    const index = new ValueIndex()
    for (const version of this.#versions.values()) {
      const value = valueOf(version)
      if (value !== undefined) index.add(value, version.key)
    }
    return index
  }

  /** Most writes touch no label; then there is nothing to do. */
  #reindex(previous: Version | undefined, current: Version | undefined): void {
    const before = previous?.labels
    const after = current?.labels
    // What comes before what goes, or a label of which the last value changes would lose its index.
    for (const name in after) {
      if (after[name] === before?.[name]) continue
      let label = this.#labels.get(name)
      if (label === undefined) this.#labels.set(name, (label = { objects: 0, index: undefined }))
      label.objects++
      label.index?.add(after[name]!, current!.key)
    }
    for (const name in before) {
      if (before[name] === after?.[name]) continue
      const label = this.#labels.get(name)!
      label.index?.remove(before[name]!, previous!.key)
      if (--label.objects === 0) this.#labels.delete(name)
    }
    for (const [at, index] of this.#fields) {
      if (previous?.fields[at] === current?.fields[at]) continue
      if (previous !== undefined) index.remove(previous.fields[at]!, previous.key)
      if (current !== undefined) index.add(current.fields[at]!, current.key)
    }
  }
}

/**
 * A label that some objects have. Most labels are never asked for: the index of one is made when that happens first, and kept up from
 * then on.
 */
interface Label {
  objects: number
  index: ValueIndex | undefined
}

/** The first text after all that begin with `prefix`, which ends with a slash. */
function afterPrefix(prefix: string): string {
  return `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`
}
