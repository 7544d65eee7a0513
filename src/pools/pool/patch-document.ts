import { isDeepStrictEqual } from 'node:util'
import { PatchNotApplicable } from '../errors.ts'

/** One operation of RFC 6902. */
export interface Operation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'
  readonly path: string
  readonly from?: string | undefined
  readonly value?: unknown
}

/** Does one operation on a document, which is changed. Throws `PatchNotApplicable`, with the document as it was. */
export function patchDocument(document: object, operation: Operation): void {
  const fail = (why: string) => PatchNotApplicable({ op: operation.op, path: operation.path, why })
  const at = (pointer: string) => placeOf(document, pointer, fail)
  const target = at(operation.path)
  switch (operation.op) {
    case 'add':
      return target.put(operation.value)
    case 'replace':
      target.read()
      target.take()
      return target.put(operation.value)
    case 'remove':
      return void target.take()
    case 'test':
      if (!isDeepStrictEqual(target.read(), operation.value)) throw fail('the value there is another')
      return
    case 'copy':
      return target.put(structuredClone(at(operation.from ?? '').read()))
    case 'move':
      if (`${operation.path}/`.startsWith(`${operation.from ?? ''}/`)) throw fail('it cannot be moved into itself')
      return target.put(at(operation.from ?? '').take())
  }
}

interface Place {
  read(): unknown
  take(): unknown
  put(value: unknown): void
}

function placeOf(document: object, pointer: string, fail: (why: string) => Error): Place {
  const steps = pointer
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const key = steps.pop()
  if (!pointer.startsWith('/') || key === undefined) throw fail('a path begins with / and names a field')
  let parent: unknown = document
  for (const step of steps) parent = isContainer(parent) && Object.hasOwn(parent, step) ? parent[step] : undefined
  if (!isContainer(parent)) throw fail('there is no such place')
  const container = parent
  const read = () => {
    // A list has more of its own than its elements: its length.
    if (!Object.hasOwn(container, key) || (Array.isArray(container) && !isIndex(key))) throw fail('there is no such place')
    return container[key]
  }
  return {
    read,
    take: () => {
      const value = read()
      if (Array.isArray(container)) container.splice(Number(key), 1)
      else delete container[key]
      return value
    },
    put: value => {
      if (!Array.isArray(container)) container[key] = value
      else if (key === '-') container.push(value)
      else if (isIndex(key) && Number(key) <= container.length) container.splice(Number(key), 0, value)
      else throw fail('there is no such position in the list')
    },
  }
}

function isIndex(key: string): boolean {
  return /^(0|[1-9]\d*)$/.test(key)
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
