import type { AccessGrant } from '../kinds/index.ts'
import type { Attempt } from './access.ts'

type Rules = NonNullable<AccessGrant['spec']['rules']>

/** Whether one of the rules of a grant allows it, as Kubernetes would judge a Role. Rules are about objects, never about plain paths. */
export function rulesAllow(rules: Rules, { verb, resource }: Attempt): boolean {
  if (resource === undefined) return false
  const { group, plural, subresource, name } = resource
  return rules.some(
    rule =>
      covers(rule.verbs, verb) &&
      covers(rule.apiGroups, group) &&
      coversResource(rule.resources, plural, subresource) &&
      // Who asks about all objects at once names none, and a rule about some does not cover that.
      ((rule.resourceNames ?? []).length === 0 || (name !== undefined && rule.resourceNames?.includes(name) === true)),
  )
}

function covers(list: readonly string[], value: string): boolean {
  return list.includes('*') || list.includes(value)
}

function coversResource(list: readonly string[], plural: string, subresource: string | undefined): boolean {
  if (subresource === undefined) return covers(list, plural)
  return list.includes('*') || list.includes(`${plural}/${subresource}`) || list.includes(`*/${subresource}`)
}
