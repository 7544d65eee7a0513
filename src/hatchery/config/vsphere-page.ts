import type { KeyPage } from './key.ts'
import { vsphereKeys } from './keys.ts'
import { table } from './table.ts'

/** What docs/configuration.md says of `[hatchery.vsphere]`, as JSON schema. */
export const vspherePage: KeyPage = table(
  'The vSphere hatchery of CDS. A CDS operator’s file is taken as it is: names in any case, numbers as texts too, and what a generated ' +
    'file leaves empty or 0 counts as absent where 0 is not explained below. Variables `CDS_HATCHERY_VSPHERE_…` win over the file: the names ' +
    'of tables and key in capitals with `_` between them, `COMMONCONFIGURATION` may be left out, entries of arrays by their number, such as ' +
    '`CDS_HATCHERY_VSPHERE_PASSWORD`, `CDS_HATCHERY_VSPHERE_API_TOKENV2` or `CDS_HATCHERY_VSPHERE_GUESTCREDENTIALS_0_PASSWORD`.',
  vsphereKeys,
).page
