import { allKinds } from '../kinds/index.ts'
import type { Kind } from '../kinds/index.ts'
import { qualified } from '../store/index.ts'
import { Usage } from './errors.ts'

/** The kind that a person means by `nests`, `Nest`, `nest.demo.aviary.dev` or a short name. Throws `Usage` if there is none. */
export function kindCalled(text: string): Kind {
  const wanted = text.toLowerCase()
  const kind = allKinds.find(each => namesOf(each).includes(wanted))
  if (kind !== undefined) return kind
  throw Usage({
    what: `there is no kind "${text}"`,
    fix: `use one of ${allKinds.map(each => each.plural).join(', ')}`,
  })
}

function namesOf(kind: Kind): readonly string[] {
  const names = [kind.plural, kind.singular, kind.name.toLowerCase(), ...kind.shortNames]
  return kind.group === '' ? names : [...names, qualified(kind), ...names.map(name => `${name}.${kind.group}`)]
}
