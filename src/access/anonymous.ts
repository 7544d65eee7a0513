import type { User } from './access.ts'

/** Who brings no credentials. */
export const anonymousUser: User = Object.freeze({ name: 'system:anonymous', groups: Object.freeze(['system:unauthenticated']) })

/** Whether somebody did not say who they are. */
export function isAnonymous({ name }: Pick<User, 'name'>): boolean {
  return name === anonymousUser.name
}
