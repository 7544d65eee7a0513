/** How long a person waits for the `aviary` command: from Enter until it has ended. kubectl asks the same server for the same. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setUpPeer } from '../../test/peers/set-up.ts'
import { startAviary } from '../api/aviary-server.ts'
import { inFolder } from '../frame/in-folder.ts'
import { median } from '../frame/median.ts'
import type { Result } from '../frame/result.ts'
import type { SuiteOptions } from '../run.ts'
import { type CommandLine, timeOf } from './command.ts'

const atMost = 250

interface Workload {
  readonly name: string
  readonly own: CommandLine
  readonly peer?: CommandLine
}

/** All commands by turns, in the other order each time; the first time is not counted, as it fills caches on both sides. */
export async function suite({ only, quick, rounds = quick ? 3 : 21, say }: SuiteOptions): Promise<readonly Result[]> {
  return await inFolder(async folder => {
    const server = await startAviary()
    try {
      const all = await workloads(server.kubeconfig, folder, say)
      const wanted = all.filter(({ name }) => only.length === 0 || only.some(start => name.startsWith(start)))
      const lines = wanted.flatMap(({ own, peer }) => (peer === undefined ? [own] : [own, peer]))
      const times = new Map(lines.map(line => [line, [] as number[]]))
      for (const line of lines) await timeOf(line)
      for (let round = 1; round <= rounds; round++) {
        for (const line of round % 2 === 0 ? lines.toReversed() : lines) times.get(line)!.push(await timeOf(line))
        say(`round ${round} of ${rounds}: ${lines.map(line => `${Math.round(times.get(line)!.at(-1)!)} ms`).join(', ')}`)
      }
      return wanted.map(({ name, own, peer }) => result(name, times.get(own)!, peer && times.get(peer)))
    } finally {
      await server.stop()
    }
  })
}

async function workloads(kubeconfig: string, folder: string, say: (line: string) => void): Promise<readonly Workload[]> {
  const program = fileURLToPath(new URL('../../bin/aviary', import.meta.url))
  const aviary = (prints: string, ...args: readonly string[]) => ({ program: process.execPath, args: [program, ...args], prints })
  const nests = join(folder, 'nests.yaml')
  await writeFile(nests, Array.from({ length: 10 }, (_, n) => nest(`nest-${n}`)).join('---\n'))
  await timeOf(aviary('nest-9 created', 'apply', '-f', nests, '--kubeconfig', kubeconfig))

  const getNests = ['get', 'nests', '--kubeconfig', kubeconfig]
  const kubectl = await setUpPeer('kubectl', say)
  if (kubectl.outcome !== 'ready') say(`without kubectl: ${kubectl.reason}`)
  const peer =
    kubectl.outcome === 'ready'
      ? { peer: { program: kubectl.program, args: [...getNests, '--cache-dir', join(folder, 'kubectl')], prints: 'nest-9' } }
      : {}
  return [
    { name: 'aviary version --client', own: aviary('aviary ', 'version', '--client') },
    { name: 'aviary --help', own: aviary('Examples:', '--help') },
    { name: 'aviary get nests', own: aviary('nest-9', ...getNests), ...peer },
  ]
}

function nest(name: string): string {
  return `apiVersion: demo.aviary.dev/v1alpha1\nkind: Nest\nmetadata:\n  name: ${name}\nspec:\n  eggs: 2\n`
}

function result(name: string, own: readonly number[], peer: readonly number[] | undefined): Result {
  const value = median(own)
  const beside = peer === undefined ? {} : { peer: median(peer), ratio: median(peer) / value }
  return { name, unit: 'ms', value, ...beside, target: `≤ ${atMost} ms`, met: value <= atMost, details: { own, peer } }
}
