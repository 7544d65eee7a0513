import { stringify } from 'smol-toml'
import { z } from 'zod'
import { configSchema } from './sections.ts'
import type { Config } from './sections.ts'

/** The whole configuration as TOML, with every default and every secret as `***`. */
export function showConfig(config: Config): string {
  return `${stringify(z.encode(configSchema(), config)).trimEnd()}\n`
}
