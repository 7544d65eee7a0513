import type { AccessGrant } from '../kinds/index.ts'
import type { Attempt, Decision, User } from './access.ts'
import { roleAllows, roleNames } from './roles.ts'
import type { Role } from './roles.ts'

/** One thing that a subject was granted. */
interface Granted {
  readonly role: Role
  /** Undefined for all. */
  readonly namespaces: ReadonlySet<string> | undefined
}

/** All AccessGrants, by whom they are for. */
export class GrantBook {
  #bySubject: ReadonlyMap<string, readonly Granted[]> = new Map()

  /** Takes the place of all that was known before. */
  replace(grants: ReadonlyMap<string, AccessGrant>): void {
    const bySubject = new Map<string, Granted[]>()
    for (const { metadata, spec } of grants.values()) {
      if (metadata.deletionTimestamp !== undefined) continue
      const granted = { role: spec.role, namespaces: spec.namespaces.includes('*') ? undefined : new Set(spec.namespaces) }
      for (const { kind, name } of spec.subjects) {
        const key = subjectKey(kind, name)
        bySubject.set(key, [...(bySubject.get(key) ?? []), granted])
      }
    }
    this.#bySubject = bySubject
  }

  /** Whether one of the user's roles allows it; if not, which one would. */
  decide(user: User, attempt: Attempt): Decision {
    const namespace = namespaceOf(attempt)
    for (const granted of this.#grantsOf(user)) {
      const everywhere = granted.namespaces === undefined
      const applies = everywhere || (namespace !== undefined && granted.namespaces.has(namespace))
      if (applies && roleAllows(granted.role, attempt, everywhere)) return { allowed: true, reason: `role ${granted.role}` }
    }
    return { allowed: false, reason: missingRole(attempt, namespace) }
  }

  *#grantsOf(user: User): Iterable<Granted> {
    yield* this.#bySubject.get(subjectKey('User', user.name)) ?? []
    for (const group of user.groups) yield* this.#bySubject.get(subjectKey('Group', group)) ?? []
  }
}

function subjectKey(kind: 'User' | 'Group', name: string): string {
  return `${kind}:${name}`
}

/** A namespace counts as being in itself, so that who may view it also sees that it is there. */
function namespaceOf({ resource }: Attempt): string | undefined {
  if (resource?.group === '' && resource.plural === 'namespaces') return resource.name
  return resource?.namespace === '' ? undefined : resource?.namespace
}

function missingRole(attempt: Attempt, namespace: string | undefined): string {
  const inNamespace = namespace === undefined ? undefined : roleNames.find(role => roleAllows(role, attempt, false))
  if (inNamespace !== undefined) return `needs an AccessGrant of the role ${inNamespace} in the namespace "${namespace}"`
  const everywhere = roleNames.find(role => roleAllows(role, attempt, true))
  return `needs an AccessGrant of the role ${everywhere ?? 'admin'} for all namespaces`
}
