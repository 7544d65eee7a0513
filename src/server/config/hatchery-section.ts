import { z } from 'zod'
import type { HatcherySettings, SettingProblem } from '../../hatchery/index.ts'
import { section } from './section.ts'
import { Pending, SettingsNotValid, unused } from './setting.ts'
import type { Said } from './setting.ts'
import { isPlainObject } from '../../kinds/index.ts'

const place = ['hatchery', 'vsphere']

/** Loaded for those who have such a section: it is a third of the program. */
const hatchery = () => import('../../hatchery/index.ts')

/** `[hatchery.vsphere]`, read by the hatchery itself: it knows what an operator's file may look like. */
const vsphere = z.codec(
  z.unknown(),
  z.custom<HatcherySettings>(value => typeof value === 'object'),
  {
    decode: (table, context) => {
      if (isPlainObject(table)) return pendingSettings(table) as unknown as HatcherySettings
      context.issues.push({ code: 'invalid_type', expected: 'object', input: table })
      return z.NEVER
    },
    encode: async settings => (await hatchery()).effectiveTable(settings),
  },
)

function pendingSettings(table: Readonly<Record<string, unknown>>): Pending {
  return new Pending(async ({ folder, files, environment, warn }) => {
    const { hatcherySettings } = await hatchery()
    const { settings, problems, warnings } = await hatcherySettings(table, { folder, files, environment, at: place })
    for (const warning of warnings) warn(below(warning))
    if (settings === undefined) throw new SettingsNotValid(problems.map(below))
    return settings
  })
}

function below({ path, ...said }: SettingProblem): Said {
  return { ...said, path: path.slice(place.length) }
}

const elsewhere = (name: string) => unused(`this program is a hatchery for vSphere only; go on running CDS’s own for ${name}`)

/** CI workers on VMs for jobs that wait in CDS. */
export const hatcherySection = section({
  name: 'hatchery',
  describe: 'CI workers on VMs for jobs that wait in CDS.',
  schema: z.strictObject({
    vsphere: vsphere.optional(),
    kubernetes: elsewhere('Kubernetes'),
    local: elsewhere('this machine'),
    marathon: elsewhere('Marathon'),
    openstack: elsewhere('OpenStack'),
    swarm: elsewhere('Swarm'),
  }),
  pages: async () => ({ vsphere: { ...(await hatchery()).vspherePage } }),
})
