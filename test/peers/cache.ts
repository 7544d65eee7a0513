import { homedir } from 'node:os'
import { join } from 'node:path'

/** The folder that keeps every peer, so that each is set up once on a machine. */
export function peersFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'aviary', 'peers')
}
