import type { Vm } from '../../platform/index.ts'

/** What the annotation of a VM says, read here on its own, so that nobody judges himself. */
export interface Mark {
  readonly hatchery: string
  readonly address: string
  readonly isModel: boolean
  readonly isProvision: boolean
}

/** The mark of a hatchery's VM; undefined if it is nobody's. */
export function markOf({ note, name, template }: Vm): Mark | undefined {
  if (typeof note !== 'object' || note === null || Array.isArray(note)) return undefined
  const fields = note as Readonly<Record<string, unknown>>
  const hatchery = fields['hatchery_name']
  if (typeof hatchery !== 'string') return undefined
  const address = fields['ip_address']
  return {
    hatchery,
    address: typeof address === 'string' ? address : '',
    isModel: template || fields['model'] === true,
    isProvision: fields['provisioning'] === true && name.startsWith('provision-'),
  }
}
