import type { Attempt } from './access.ts'

/** From the least to the most. */
export const roleNames = ['view', 'edit', 'admin'] as const

/** What a grant gives. */
export type Role = (typeof roleNames)[number]

const read = ['get', 'list', 'watch'] as const
const write = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const

interface RoleRule {
  readonly verbs: readonly string[]
  /** What the rule leaves out: `secrets`, `nests.demo.aviary.dev`, `*.access.aviary.dev`, or a subresource of anything: `/status`. */
  readonly except?: readonly string[]
  /** True for rules that hold only in a grant for all namespaces. */
  readonly everywhere?: true
}

/**
 * What each role may do. A grant for some namespaces covers what is in them, and reading the namespaces themselves; a grant for
 * all covers objects without a namespace too.
 *
 * As in Kubernetes, who may only view sees no secrets, and who edits does not decide who may come in. Status is written by
 * controllers: an editor who could write it could make the program believe anything.
 */
const roleRules: Readonly<Record<Role, readonly RoleRule[]>> = {
  view: [{ verbs: read, except: ['secrets', '*.access.aviary.dev'] }],
  edit: [
    { verbs: read, except: ['*.access.aviary.dev'] },
    {
      verbs: write,
      except: [
        '*.access.aviary.dev',
        '*.rbac.authorization.k8s.io',
        'namespaces',
        'nodes',
        '*.apiextensions.k8s.io',
        '*.coordination.k8s.io',
        '/status',
        '/finalize',
      ],
    },
  ],
  admin: [
    { verbs: read, except: ['*.access.aviary.dev'] },
    { verbs: write, except: ['*.access.aviary.dev', 'namespaces', '/status', '/finalize'] },
    { verbs: ['*'], everywhere: true },
  ],
}

/** Paths that are not objects, for grants for all namespaces. `/x/*` is everything below. */
const rolePaths: Readonly<Record<Role, readonly string[]>> = {
  view: ['/metrics'],
  edit: ['/metrics'],
  admin: ['*'],
}

/** What everybody who is known may read, so that a client can find out what there is. */
const discoveryPaths = [
  '/api',
  '/api/*',
  '/apis',
  '/apis/*',
  '/openapi/*',
  '/version',
  '/version/',
  '/healthz',
  '/livez',
  '/readyz',
  '/livez/*',
  '/readyz/*',
]

/** What everybody who is known may ask about themselves. */
const questionsAboutOneself = [
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
]

/** Whether a role, granted in the attempt's namespace or for all of them, allows it. */
export function roleAllows(role: Role, attempt: Attempt, everywhere: boolean): boolean {
  const { resource, path } = attempt
  if (resource === undefined)
    return everywhere && path !== undefined && isReadOrAdmin(role, attempt.verb) && matchesPath(rolePaths[role], path)
  return roleRules[role].some(rule => {
    if (rule.everywhere === true && !everywhere) return false
    return covers(rule.verbs, attempt.verb) && !(rule.except ?? []).some(pattern => leavesOut(pattern, resource))
  })
}

/** Whether everybody who is known may do it. */
export function anybodyMay({ verb, resource, path }: Attempt): boolean {
  if (resource === undefined) return isPathRead(verb) && path !== undefined && matchesPath(discoveryPaths, path)
  return verb === 'create' && resource.subresource === undefined && questionsAboutOneself.includes(`${resource.plural}.${resource.group}`)
}

/** Whether one of `patterns` is the path or, with a star, stands above it. */
export function matchesPath(patterns: readonly string[], path: string): boolean {
  return patterns.some(pattern => (pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern))
}

/** Whether a plain path is only read. */
export function isPathRead(verb: string): boolean {
  return verb === 'get' || verb === 'head'
}

function isReadOrAdmin(role: Role, verb: string): boolean {
  return role === 'admin' || isPathRead(verb)
}

function covers(verbs: readonly string[], verb: string): boolean {
  return verbs.includes('*') || verbs.includes(verb)
}

/** A question about everything (`*`) meets every exception: who may not read one resource may not read all. */
function leavesOut(pattern: string, { group, plural, subresource }: NonNullable<Attempt['resource']>): boolean {
  if (pattern.startsWith('/')) return subresource === pattern.slice(1) || subresource === '*'
  const dot = pattern.indexOf('.')
  const patternPlural = dot === -1 ? pattern : pattern.slice(0, dot)
  const patternGroup = dot === -1 ? '' : pattern.slice(dot + 1)
  const sameGroup = group === '*' || group === patternGroup
  return sameGroup && (plural === '*' || patternPlural === '*' || plural === patternPlural)
}
