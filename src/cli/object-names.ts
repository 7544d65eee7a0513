import type { Kind } from '../kinds/index.ts'
import { Usage } from './errors.ts'
import { kindCalled } from './kind-names.ts'

/** Objects that a command line names: all of a kind if it names none. */
export interface Named {
  readonly kind: Kind
  readonly names: readonly string[]
}

/** Reads `nests`, `nests robin wren`, or `nest/robin nest/wren secret/key`. */
export function namedObjects(args: readonly string[]): readonly Named[] {
  const [first, ...rest] = args
  if (first === undefined) throw Usage({ what: 'no kind is named', fix: 'say which, for example: nests, or nest/robin' })
  if (!first.includes('/')) {
    const slashed = rest.find(arg => arg.includes('/'))
    if (slashed !== undefined)
      throw Usage({ what: `"${first}" and "${slashed}" do not go together`, fix: 'write KIND NAME …, or KIND/NAME KIND/NAME …' })
    return [{ kind: kindCalled(first), names: rest }]
  }
  const named = new Map<Kind, string[]>()
  for (const arg of args) {
    const [kindName, name, ...more] = arg.split('/')
    if (!kindName || !name || more.length > 0)
      throw Usage({ what: `"${arg}" names no object`, fix: 'write KIND/NAME, for example nest/robin' })
    const kind = kindCalled(kindName)
    named.set(kind, [...(named.get(kind) ?? []), name])
  }
  return Array.from(named, ([kind, names]) => ({ kind, names }))
}

/** Refuses names beside a selector, or whatever else chooses objects: one of them would be ignored. Throws `Usage`. */
export function refuseNamesBeside(named: readonly Named[], selector: string | undefined): void {
  if (selector === undefined || named.every(({ names }) => names.length === 0)) return
  throw Usage({ what: 'names and selectors do not go together', fix: 'leave one of them out' })
}

/** Reads exactly one object: `nest/robin` or `nest robin`. */
export function namedObject(args: readonly string[]): { readonly kind: Kind; readonly name: string } {
  const [only, ...others] = namedObjects(args)
  const [name, ...more] = only?.names ?? []
  if (only === undefined || name === undefined || others.length + more.length > 0)
    throw Usage({ what: 'exactly one object has to be named', fix: 'write KIND/NAME, for example nest/robin' })
  return { kind: only.kind, name }
}
