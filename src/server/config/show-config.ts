import { stringify } from 'smol-toml'
import { z } from 'zod'
import { configSchema } from './sections.ts'
import type { Config } from './sections.ts'

/** The whole configuration as TOML, with every default and every secret as `***`. */
export async function showConfig(config: Config): Promise<string> {
  return `${stringify(await z.encodeAsync(configSchema(), config)).trimEnd()}\n`
}
