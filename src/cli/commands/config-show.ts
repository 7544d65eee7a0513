import { loadConfig, showConfig } from '../../server/index.ts'
import type { Io } from '../io.ts'

/** `aviary config show` */
export async function run([named]: readonly string[], { config: file = named }: { readonly config?: string }, io: Io): Promise<void> {
  io.out(await showConfig(await loadConfig(file, { files: io.files, environment: io.environment, folder: io.folder })))
}
