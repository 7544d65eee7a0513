import { nearest } from '../ports/index.ts'
import { allKinds, ClusterClaim, ClusterDeployment, ClusterPool } from '../kinds/index.ts'
import type { Kind } from '../kinds/index.ts'
import { qualified } from '../store/index.ts'
import { Usage } from './errors.ts'

/** What the commands of this program call things whose kinds have longer names. */
const everyday: Readonly<Record<string, Kind>> = { pool: ClusterPool, claim: ClusterClaim, cluster: ClusterDeployment }

/** What people ask for that is no object of the store, and the command that shows it. */
const elsewhere: Readonly<Record<string, string>> = {
  job: 'aviary hatchery jobs',
  worker: 'aviary hatchery workers',
  operation: 'aviary hatchery operations',
  vm: 'aviary vsphere vms --config FILE; those of the hatchery with: aviary hatchery workers',
  template: 'aviary vsphere vms --templates --config FILE',
}

/**
 * The kind that a person means by `nests`, `Nest`, `nest.demo.aviary.dev`, a short name, or by what our commands call it. Throws `Usage`
 * if there is none.
 */
export function kindCalled(text: string): Kind {
  const wanted = text.toLowerCase()
  const kind = allKinds.find(each => namesOf(each).includes(wanted)) ?? everyday[wanted.replace(/s$/, '')]
  if (kind !== undefined) return kind
  const command = elsewhere[wanted.replace(/s$/, '')]
  if (command !== undefined) throw Usage({ what: `there is no kind "${text}"`, fix: `see them with: ${command}` })
  const plurals = allKinds.map(each => each.plural)
  const meant = nearest(
    wanted,
    allKinds.flatMap(each => [each.plural, each.singular]),
  )
  throw Usage({
    what: `there is no kind "${text}"`,
    fix: meant === undefined ? `use one of ${plurals.join(', ')}` : `did you mean "${meant}"? There are ${plurals.join(', ')}`,
  })
}

function namesOf(kind: Kind): readonly string[] {
  const names = [kind.plural, kind.singular, kind.name.toLowerCase(), ...kind.shortNames]
  return kind.group === '' ? names : [...names, qualified(kind), ...names.map(name => `${name}.${kind.group}`)]
}
