import { checkConfig, ConfigNotValid, problemLine } from '../../server/index.ts'
import type { ConfigProblem } from '../../server/index.ts'
import type { Io } from '../io.ts'

/** `aviary config check` */
export async function run([named]: readonly string[], { config: file = named }: { readonly config?: string }, io: Io): Promise<void> {
  const warn = (warning: ConfigProblem) => io.err(`warning: ${problemLine(file, warning)}\n`)
  const problems = await checkConfig(file, { files: io.files, environment: io.environment, folder: io.folder, warn })
  if (problems.length > 0) throw ConfigNotValid({ file, problems })
  io.out(`${file ?? 'The default configuration'} is good.\n`)
}
