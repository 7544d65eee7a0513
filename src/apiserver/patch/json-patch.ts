import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../kinds/index.ts'
import { isObject } from './merge-patch.ts'

/** A patch that cannot be applied to this object. The message says which operation and why. */
export class JsonPatchError extends Error {}

/** One step of a patch. */
export interface Operation {
  readonly op: string
  readonly path: string
  readonly from?: string
  readonly value?: Json
}

/** Applies the operations of an RFC 6902 patch in order, all or none. The document itself is not changed. */
export function applyJsonPatch(document: Json, operations: readonly Operation[]): Json {
  return operations.reduce(applyOperation, document)
}

function applyOperation(document: Json, operation: Operation): Json {
  const path = pointer(operation.path)
  switch (operation.op) {
    case 'add':
      return add(document, path, valueOf(operation), operation.path)
    case 'replace':
      read(document, path, operation.path)
      return path.length === 0 ? valueOf(operation) : edit(document, path, overwrite(valueOf(operation)))
    case 'remove':
      read(document, path, operation.path)
      return edit(document, path, take)
    case 'test':
      if (!isDeepStrictEqual(read(document, path, operation.path), valueOf(operation))) {
        throw new JsonPatchError(`testing value ${operation.path} failed`)
      }
      return document
    case 'copy':
    case 'move':
      return transfer(document, path, operation)
    default:
      throw new JsonPatchError(`unknown operation ${JSON.stringify(operation.op)}`)
  }
}

function transfer(document: Json, path: readonly string[], operation: Operation): Json {
  const from = operation.from ?? ''
  const source = pointer(from)
  const value = read(document, source, from)
  if (operation.op === 'copy') return add(document, path, value, operation.path)
  if (path.length > source.length && source.every((token, index) => token === path[index])) {
    throw new JsonPatchError(`cannot move ${from} into itself`)
  }
  return add(edit(document, source, take), path, value, operation.path)
}

function add(document: Json, path: readonly string[], value: Json, text: string): Json {
  return path.length === 0 ? value : edit(document, path, insert(value, text))
}

function valueOf(operation: Operation): Json {
  if (operation.value === undefined) throw new JsonPatchError(`operation ${operation.op} of ${operation.path} has no value`)
  return operation.value
}

function pointer(path: string): readonly string[] {
  if (path === '') return []
  if (typeof path !== 'string' || !path.startsWith('/'))
    throw new JsonPatchError(`${JSON.stringify(path)} is not a path: it must start with /`)
  return path
    .slice(1)
    .split('/')
    .map(token => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function read(document: Json, path: readonly string[], text: string): Json {
  let value: Json | undefined = document
  for (const token of path) {
    if (Array.isArray(value)) value = value[indexOf(token, value.length - 1)] as Json
    else value = isObject(value) && Object.hasOwn(value, token) ? value[token] : undefined
    if (value === undefined) throw new JsonPatchError(`there is nothing at ${text}`)
  }
  return value
}

type Change = (parent: Json, token: string) => Json

/** A copy of the document in which `change` has been made to the value that holds the last token of the path. */
function edit(document: Json, path: readonly string[], change: Change): Json {
  const [token, ...rest] = path
  if (token === undefined) throw new JsonPatchError('the whole object cannot be removed')
  if (rest.length === 0) return change(document, token)
  if (Array.isArray(document)) {
    const index = indexOf(token, document.length - 1)
    return (document as readonly Json[]).with(index, edit(document[index] as Json, rest, change))
  }
  if (!isObject(document) || !Object.hasOwn(document, token)) throw new JsonPatchError(`there is no ${JSON.stringify(token)} to go into`)
  return withKey(document, token, edit(document[token]!, rest, change))
}

function insert(value: Json, text: string): Change {
  return (parent, token) => {
    if (Array.isArray(parent)) {
      const list = parent as readonly Json[]
      return list.toSpliced(token === '-' ? list.length : indexOf(token, list.length), 0, value)
    }
    if (!isObject(parent)) throw new JsonPatchError(`there is no object or list to add ${text} to`)
    return withKey(parent, token, value)
  }
}

function overwrite(value: Json): Change {
  return (parent, token) => {
    if (Array.isArray(parent)) return (parent as readonly Json[]).with(indexOf(token, parent.length - 1), value)
    return withKey(parent as { readonly [key: string]: Json }, token, value)
  }
}

function take(parent: Json, token: string): Json {
  if (Array.isArray(parent)) return (parent as readonly Json[]).toSpliced(indexOf(token, parent.length - 1), 1)
  return Object.fromEntries(Object.entries(parent as { readonly [key: string]: Json }).filter(([key]) => key !== token))
}

/** Built from entries, so that a key like `__proto__` is a key like any other. */
function withKey(object: { readonly [key: string]: Json }, key: string, value: Json): Json {
  return Object.fromEntries(new Map(Object.entries(object)).set(key, value))
}

function indexOf(token: string, last: number): number {
  const index = /^(0|[1-9][0-9]*)$/.test(token) ? Number(token) : -1
  if (index < 0 || index > last) throw new JsonPatchError(`${JSON.stringify(token)} is not an index of the list`)
  return index
}
