import type { AccessGrant } from '../kinds/index.ts'
import type { Attempt, Decision, NamedRule, User } from './access.ts'
import { roleAllows, roleNames } from './roles.ts'
import { rulesAllow } from './rules.ts'

/** One thing that a subject was granted. */
interface Granted {
  /** For the person who asks why: what it is called. */
  readonly name: string
  readonly allows: (attempt: Attempt) => boolean
  /** Those of its rules that are about some objects only. */
  readonly namedRules: readonly NamedRule[]
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
      const granted = grantedBy(metadata.name, spec)
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
      if (appliesIn(granted, namespace) && granted.allows(attempt)) return { allowed: true, reason: granted.name }
    }
    return { allowed: false, reason: missingRole(attempt, namespace) }
  }

  /** What the user may do in a namespace to objects of certain names only. */
  namedRules(user: User, namespace: string): readonly NamedRule[] {
    return [...this.#grantsOf(user)].filter(granted => appliesIn(granted, namespace)).flatMap(({ namedRules }) => namedRules)
  }

  *#grantsOf(user: User): Iterable<Granted> {
    yield* this.#bySubject.get(subjectKey('User', user.name)) ?? []
    for (const group of user.groups) yield* this.#bySubject.get(subjectKey('Group', group)) ?? []
  }
}

function grantedBy(grant: string, { role, rules = [], namespaces }: AccessGrant['spec']): Granted {
  const everywhere = namespaces.includes('*')
  return {
    name: role === undefined ? `rules of the AccessGrant ${grant}` : `role ${role}`,
    allows: attempt => (role === undefined ? rulesAllow(rules, attempt) : roleAllows(role, attempt, everywhere)),
    namedRules: rules.flatMap(({ resourceNames = [], ...rule }) => (resourceNames.length === 0 ? [] : [{ ...rule, resourceNames }])),
    namespaces: everywhere ? undefined : new Set(namespaces),
  }
}

function appliesIn({ namespaces }: Granted, namespace: string | undefined): boolean {
  return namespaces === undefined || (namespace !== undefined && namespaces.has(namespace))
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
