import { z } from 'zod'
import { accessSection } from './access-section.ts'
import { cdsSections } from './cds-sections.ts'
import { demoSection } from './demo-section.ts'
import { engineSection } from './engine-section.ts'
import { hatcherySection } from './hatchery-section.ts'
import { logSection } from './log-section.ts'
import { poolsSection } from './pools-section.ts'
import type { Section } from './section.ts'
import { serverSection } from './server-section.ts'
import { vsphereSection } from './vsphere-section.ts'

/** All sections, in the order in which docs/configuration.md shows them. A service adds its own here. */
export const sections = [
  serverSection,
  engineSection,
  accessSection,
  logSection,
  hatcherySection,
  poolsSection,
  vsphereSection,
  demoSection,
] as const

type Sections = (typeof sections)[number]

/** The whole configuration, resolved once and frozen. */
export type Config = { readonly [S in Sections as S['name']]: z.output<S['schema']> }

/** The schema of the whole file. A section that is missing has all its defaults. */
export function configSchema(list: readonly Section[] = sections): z.ZodType<Record<string, unknown>> {
  const own = list.map(({ name, schema, describe }) => [name, schema.prefault({}).describe(describe)] as const)
  return z.strictObject({ ...cdsSections, ...Object.fromEntries(own) })
}
