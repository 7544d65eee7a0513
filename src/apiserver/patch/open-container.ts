import type { Json } from '../../kinds/index.ts'
import { maxDepth } from '../json-text.ts'
import { JsonPatchError } from './json-patch-error.ts'
import { isObject } from './merge-patch.ts'

/** A value of a document under way: JSON that nobody has touched, or a container that somebody has. */
export type Node = Json | OpenContainer

/**
 * An object or list of a document that is being patched. It is opened, which is to say copied, when it is first touched, then
 * changed in place, and closed when all is done: a copy for each operation would make many operations on much a standstill.
 */
export abstract class OpenContainer {
  /** What is at a token; undefined if nothing is. */
  abstract get(token: string): Node | undefined
  /** Puts another value in the place of the one at a token. */
  abstract replace(token: string, node: Node): void
  /** Adds a value: to a list before the token, or at its end for `-`. The number of list items that had to move for it. */
  abstract insert(token: string, node: Node): number
  /** Removes a value. The number of list items that had to move for it. */
  abstract remove(token: string): number
  /** Whether it has exactly what `value` has. Looks at no more than `value` has. */
  abstract isLike(value: Json): boolean
  /** The JSON it has become, if that is at most so many levels deep. */
  abstract close(levels: number): Json

  /** The container at a token, opened; undefined if there is none. */
  enter(token: string): OpenContainer | undefined {
    const child = opened(this.get(token))
    if (child !== undefined) this.replace(token, child)
    return child
  }

  /** Whether there is `value` at a token. */
  holds(token: string, value: Json): boolean {
    const child = this.enter(token)
    return child === undefined ? this.get(token) === value : child.isLike(value)
  }
}

/** An object by its keys: as a map, so that a key like `__proto__` is a key like any other. */
export class OpenObject extends OpenContainer {
  readonly #members: Map<string, Node>

  constructor(object: { readonly [key: string]: Json }) {
    super()
    this.#members = new Map(Object.entries(object))
  }

  get(token: string): Node | undefined {
    return this.#members.get(token)
  }

  replace(token: string, node: Node): void {
    this.#members.set(token, node)
  }

  insert(token: string, node: Node): number {
    this.#members.set(token, node)
    return 0
  }

  remove(token: string): number {
    this.#members.delete(token)
    return 0
  }

  isLike(value: Json): boolean {
    if (!isObject(value)) return false
    const wanted = Object.entries(value)
    return wanted.length === this.#members.size && wanted.every(([key, inner]) => this.#members.has(key) && this.holds(key, inner))
  }

  close(levels: number): Json {
    return Object.fromEntries([...this.#members].map(([key, node]) => [key, closed(node, levels)]))
  }
}

class OpenList extends OpenContainer {
  readonly #items: Node[]

  constructor(list: readonly Json[]) {
    super()
    this.#items = [...list]
  }

  get(token: string): Node | undefined {
    return this.#items[this.#index(token, this.#items.length - 1)]
  }

  replace(token: string, node: Node): void {
    this.#items[this.#index(token, this.#items.length - 1)] = node
  }

  insert(token: string, node: Node): number {
    const index = token === '-' ? this.#items.length : this.#index(token, this.#items.length)
    this.#items.splice(index, 0, node)
    return this.#items.length - 1 - index
  }

  remove(token: string): number {
    const index = this.#index(token, this.#items.length - 1)
    this.#items.splice(index, 1)
    return this.#items.length - index
  }

  isLike(value: Json): boolean {
    if (!Array.isArray(value)) return false
    const wanted = value as readonly Json[]
    return wanted.length === this.#items.length && wanted.every((inner, index) => this.holds(String(index), inner))
  }

  close(levels: number): Json {
    return this.#items.map(node => closed(node, levels))
  }

  #index(token: string, last: number): number {
    const index = /^(0|[1-9][0-9]*)$/.test(token) ? Number(token) : -1
    if (index < 0 || index > last) throw new JsonPatchError(`${JSON.stringify(token)} is not an index of the list`)
    return index
  }
}

/** Opens a container, unless it is open already; undefined for what is none. */
function opened(node: Node | undefined): OpenContainer | undefined {
  if (node instanceof OpenContainer) return node
  if (Array.isArray(node)) return new OpenList(node)
  return isObject(node) ? new OpenObject(node) : undefined
}

/**
 * The JSON of a value. What nobody touched is shared, not copied; but it is looked at, too, because operations can carry it deeper
 * than anybody may send it.
 */
export function closed(node: Node, levels = maxDepth): Json {
  if (typeof node !== 'object' || node === null) return node
  if (levels === 0) throw new JsonPatchError(`the object would be more than ${maxDepth} levels deep`)
  if (node instanceof OpenContainer) return node.close(levels - 1)
  for (const inner of Object.values(node)) closed(inner, levels - 1)
  return node
}
