import type { Json } from '../../kinds/index.ts'
import { countValues, maxValues } from '../json-text.ts'
import { JsonPatchError } from './json-patch-error.ts'
import { closed, type Node, type OpenContainer, OpenObject } from './open-container.ts'

/** One step of a patch. */
export interface Operation {
  readonly op: string
  readonly path: string
  readonly from?: string
  readonly value?: Json
}

/** Applies the operations of an RFC 6902 patch in order, all or none. The document itself is not changed. Throws `JsonPatchError`. */
export function applyJsonPatch(document: Json, operations: readonly Operation[]): Json {
  const patched = new PatchedDocument(document)
  for (const operation of operations) patched.apply(operation)
  return patched.close()
}

/**
 * The copies of one patch may add so many bytes, as in Kubernetes: forty of them, each of what the one before has doubled, would
 * fill any memory.
 */
const maxCopiedBytes = 3 * 1024 * 1024

/**
 * So much one patch may do: each token of a path is a step, and so are every 100 list items that move because one before them is added
 * or removed. Ten thousand operations deep inside an object or at the head of a long list would else take seconds.
 */
const maxSteps = 200_000
const movedItemsPerStep = 100

/** The document stands in a frame, under this token, so that it is held by a container like everything in it. */
const whole = ''

/** Where a path leads: a token, and the container that holds or would hold it. */
interface Place {
  readonly holder: OpenContainer
  readonly token: string
}

class PatchedDocument {
  readonly #frame: OpenContainer
  #copiedBytes = 0
  #steps = 0

  constructor(document: Json) {
    this.#frame = new OpenObject({ [whole]: document })
  }

  close(): Json {
    return closed(this.#frame.get(whole)!)
  }

  apply(operation: Operation): void {
    const { op, path, from = '' } = operation
    switch (op) {
      case 'add':
        return this.#add(path, valueOf(operation))
      case 'replace':
        return this.#replace(path, valueOf(operation))
      case 'remove':
        return void this.#take(path)
      case 'test':
        return this.#test(path, valueOf(operation))
      case 'copy':
        return this.#add(path, this.#copyOf(from))
      case 'move':
        if (path.startsWith(`${from}/`)) throw new JsonPatchError(`cannot move ${from} into itself`)
        return this.#add(path, this.#take(from))
      default:
        throw new JsonPatchError(`unknown operation ${JSON.stringify(op)}`)
    }
  }

  #add(path: string, node: Node): void {
    const { holder, token } = this.#place(path)
    this.#spend(holder.insert(token, node) / movedItemsPerStep)
  }

  #replace(path: string, node: Node): void {
    const { holder, token } = this.#occupied(path)
    holder.replace(token, node)
  }

  #take(path: string): Node {
    if (path === '') throw new JsonPatchError('the whole object cannot be removed')
    const { holder, token, node } = this.#occupied(path)
    this.#spend(holder.remove(token) / movedItemsPerStep)
    return node
  }

  #test(path: string, value: Json): void {
    const { holder, token } = this.#occupied(path)
    if (!holder.holds(token, value)) throw new JsonPatchError(`testing value ${path} failed`)
  }

  #copyOf(path: string): Json {
    const copy = closed(this.#occupied(path).node)
    const values = countValues(copy)
    if (values > maxValues) throw new JsonPatchError(`a copy has more than ${maxValues} fields and list items`)
    this.#spend(values)
    this.#copiedBytes += Buffer.byteLength(JSON.stringify(copy))
    if (this.#copiedBytes > maxCopiedBytes) throw new JsonPatchError(`the copies of the patch add more than ${maxCopiedBytes} bytes`)
    return copy
  }

  #spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > maxSteps)
      throw new JsonPatchError(`the patch takes more than ${maxSteps} steps: replace long lists and deep objects as a whole`)
  }

  /** Where a path leads, opening what is on the way. */
  #place(path: string): Place {
    let holder = this.#frame
    let token = whole
    const tokens = tokensOf(path)
    this.#spend(tokens.length)
    for (const next of tokens) {
      const child = holder.enter(token)
      if (child === undefined) throw new JsonPatchError(`there is no object or list to find ${path} in`)
      holder = child
      token = next
    }
    return { holder, token }
  }

  /** Where a path leads, if something is there. */
  #occupied(path: string): Place & { readonly node: Node } {
    const { holder, token } = this.#place(path)
    const node = holder.get(token)
    if (node === undefined) throw new JsonPatchError(`there is nothing at ${path}`)
    return { holder, token, node }
  }
}

function valueOf(operation: Operation): Json {
  if (operation.value === undefined) throw new JsonPatchError(`operation ${operation.op} of ${operation.path} has no value`)
  return operation.value
}

function tokensOf(path: string): readonly string[] {
  if (path === '') return []
  if (!path.startsWith('/')) throw new JsonPatchError(`${JSON.stringify(path)} is not a path: it must start with /`)
  return path
    .slice(1)
    .split('/')
    .map(token => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}
