import { loadConfig, showConfig } from '../../server/index.ts'
import type { Io } from '../io.ts'

/** `aviary config show` */
export async function run([file]: readonly string[], _options: object, io: Io): Promise<void> {
  io.out(await showConfig(await loadConfig(file, { files: io.files, environment: io.environment, folder: io.folder })))
}
