import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { usePeer } from '../peer.ts'
import { type Ground, guest } from './ground.ts'

/** A VM as pyvmomi, VMware's own client, sees it. */
export interface SeenVm {
  readonly annotation: string
  readonly cpus: number
  readonly memoryMB: number
  readonly power: 'poweredOn' | 'poweredOff'
  readonly template: boolean
  readonly address: string | null
  readonly cards: readonly string[]
  readonly networks: readonly string[]
  readonly linked: boolean
  readonly processes: readonly string[]
}

/** What an independent client sees of VMs, by their names. */
export async function readBack({ sim }: Ground, ...names: readonly string[]): Promise<Readonly<Record<string, SeenVm>>> {
  const script = fileURLToPath(new URL('../vsphere/readback.py', import.meta.url))
  const args = [script, sim.url, sim.user, sim.password, guest.user, guest.password, ...names]
  const { stdout } = await promisify(execFile)(await usePeer('pyvmomi'), args)
  return JSON.parse(stdout) as Record<string, SeenVm>
}
