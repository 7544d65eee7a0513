import { setUpPeer } from './set-up.ts'
import { table } from './table.ts'

/** `node run.mjs peer NAME`: sets one peer up, whatever its weight, and prints the path of its program. Gives the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [name] = args
  if (name === undefined || !table.peers.some(peer => peer.name === name)) {
    process.stderr.write(`usage: node run.mjs peer NAME, with one of: ${table.peers.map(peer => peer.name).join(', ')}\n`)
    return 2
  }
  const setUp = await setUpPeer(name, line => process.stderr.write(`${line}\n`))
  if (setUp.outcome === 'ready') {
    process.stdout.write(`${setUp.program}\n`)
    return 0
  }
  process.stderr.write(`${name}: ${setUp.reason}\n`)
  return 1
}
