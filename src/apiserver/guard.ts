import { type Access, type Attempt, isAnonymous, tooManyRequests, type User } from '../access/index.ts'
import { StoreError } from '../store/index.ts'
import { type Call, header } from './call.ts'
import type { Target } from './target.ts'

/** These are about no more than the one object whose name they select. A create says in its body what it makes. */
const selecting = new Set(['list', 'watch', 'deletecollection'])

/** What the request wants, in the words of the guard. A list of one name is about that object. */
export function attemptOf(target: Target, verb: string, query: URLSearchParams): Attempt {
  const { resource, path } = target
  if (resource === undefined) return { verb, path }
  const { group, version, plural, namespace, subresource } = resource
  const name = resource.name ?? (selecting.has(verb) ? selectedName(query) : undefined)
  return {
    verb,
    resource: {
      group,
      version,
      plural,
      ...(subresource === undefined ? {} : { subresource }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(name === undefined ? {} : { name }),
    },
  }
}

function selectedName(query: URLSearchParams): string | undefined {
  const selector = query.get('fieldSelector')
  return selector === null ? undefined : /^metadata\.name==?([^,=\\]+)$/.exec(selector)?.[1]
}

/** Throws Forbidden to who wants to be somebody else: here nobody may. */
export function refuseImpersonation(user: User, call: Call): void {
  if (!Object.keys(call.headers).some(name => name.startsWith('impersonate-'))) return
  const other = header(call, 'impersonate-user') ?? ''
  const message = `users ${JSON.stringify(other)} is forbidden: ${refusal(user, 'impersonate', { group: '', plural: 'users' })}`
  throw new StoreError('Forbidden', message, { kind: 'users', name: other })
}

/** Throws TooManyRequests to who asks too often. Comes before the question whether they may: to refuse is work, too. */
export function refuseHaste(access: Access, user: User, sourceAddress: string): void {
  const wait = access.throttle(user, sourceAddress)
  if (wait !== undefined) throw tooManyRequests(wait)
}

/** Lets the request in or throws: Unauthorized without credentials, Forbidden without the right. */
export function admit(access: Access, user: User, attempt: Attempt, openToAll = false): void {
  if (openToAll && !isAnonymous(user)) return
  const { allowed, reason } = access.authorize(user, attempt)
  if (!allowed) throw isAnonymous(user) ? new StoreError('Unauthorized', 'Unauthorized') : forbidden(user, attempt, reason)
}

function forbidden(user: User, { verb, resource, path }: Attempt, reason: string): StoreError {
  const because = reason === '' ? '' : `: ${reason}`
  if (resource === undefined) {
    return new StoreError('Forbidden', `forbidden: User ${JSON.stringify(user.name)} cannot ${verb} path ${JSON.stringify(path)}${because}`)
  }
  const { group, plural, name } = resource
  const qualified = group === '' ? plural : `${plural}.${group}`
  const subject = name === undefined ? qualified : `${qualified} ${JSON.stringify(name)}`
  return new StoreError('Forbidden', `${subject} is forbidden: ${refusal(user, verb, resource)}${because}`, {
    group,
    kind: plural,
    ...(name === undefined ? {} : { name }),
  })
}

function refusal(
  user: User,
  verb: string,
  resource: Pick<NonNullable<Attempt['resource']>, 'group' | 'plural' | 'namespace' | 'subresource'>,
): string {
  const { group, plural, namespace, subresource } = resource
  const what = subresource === undefined ? plural : `${plural}/${subresource}`
  const where = namespace === undefined || namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`
  return `User ${JSON.stringify(user.name)} cannot ${verb} resource "${what}" in API group "${group}" ${where}`
}
