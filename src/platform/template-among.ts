import type { Vm } from './platform.ts'

/** Which of several that have one name is meant by who names a template: the first that is one; where none is, the first. */
export function templateAmong<T extends Pick<Vm, 'template'>>(named: readonly T[]): T | undefined {
  return named.find(({ template }) => template) ?? named[0]
}
