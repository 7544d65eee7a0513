import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { allKinds, Nest } from '../../../src/kinds/index.ts'
import { type Chance, realClock, seededChance, silentLog } from '../../../src/ports/index.ts'
import { openSqliteStore } from '../../../src/store/index.ts'

const times = 50
const clock = realClock()

/** Half a minute on cores of its own; fifty starts of a program take long on a machine that has other things to do. */
const limit = 600_000

/** What was acknowledged about an object last: its revision, and its value or that it is gone. */
interface Acknowledged {
  readonly revision: number
  readonly value: string
}

test(
  `nothing acknowledged is lost and nothing half-written is seen when the process is killed ${times} times under load`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'aviary-crash-'))
    const chance = seededChance('crash')
    const known = new Map<string, Acknowledged>()
    let writes = 0
    let revision = 0
    try {
      for (let time = 0; time < times; time++) {
        for (const [name, state] of await killedWhileWriting(folder, `k${time}`, chance)) {
          known.set(name, state)
          writes++
        }
        revision = await checkStore(folder, known, revision)
      }
      expect(writes).toBeGreaterThan(times * 10)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  limit,
)

/** Lets a process write, kills it at some moment, and returns what it had acknowledged, line by line. */
async function killedWhileWriting(folder: string, seed: string, chance: Chance): Promise<readonly (readonly [string, Acknowledged])[]> {
  const file = join(folder, `${seed}.acknowledged`)
  const child = spawn(process.execPath, [fileURLToPath(new URL('writer.ts', import.meta.url)), folder, seed, file], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Fifty starts of the same program: it need be compiled only once.
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') },
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (errors += piece))
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  try {
    await new Promise<void>((resolve, reject) => {
      child.stdout.once('data', () => resolve())
      child.once('close', () => reject(new Error(`the writer ended by itself: ${errors}`)))
    })
    await clock.sleep(chance.integer(1, 200))
  } finally {
    child.kill('SIGKILL')
    await ended
  }
  expect(errors).toBe('')
  // What follows the last end of a line was cut off.
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map(line => {
    const [name = '', revision, value = ''] = line.split(' ')
    return [name, { revision: Number(revision), value }] as const
  })
}

/** Opens the store and compares it with what was acknowledged. Returns its revision, which never goes back. */
async function checkStore(folder: string, known: ReadonlyMap<string, Acknowledged>, before: number): Promise<number> {
  const store = await openSqliteStore({ folder, kinds: allKinds, clock, chance: seededChance('check'), log: silentLog })
  try {
    const found = new Map((await store.list(Nest)).items.map(({ object }) => [object.metadata.name, object]))
    const { revision } = store.stats()
    expect(revision).toBeGreaterThanOrEqual(before)
    for (const [name, { metadata }] of found) {
      const { value, filler, length } = metadata.annotations!
      expect(filler, `${name} is whole`).toHaveLength(Number(length))
      expect(Number(value)).toBeLessThan(6)
      expect(Number(metadata.resourceVersion)).toBeLessThanOrEqual(revision)
    }
    const wrong = [...known].filter(([name, state]) => !agrees(name, state, found.get(name)))
    expect(wrong).toEqual([])
    return revision
  } finally {
    await store.close()
  }
}

/**
 * A later write than the acknowledged one may be there: it was done, and the answer was cut off. An earlier one may not. Gone may be
 * only what was to be removed, after its last change.
 */
function agrees(name: string, { revision, value }: Acknowledged, found: Nest | undefined): boolean {
  if (value === 'gone') return found === undefined
  if (found === undefined) return value === '5' && name.endsWith('removed')
  const stored = Number(found.metadata.resourceVersion)
  return stored === revision ? found.metadata.annotations!['value'] === value : stored > revision
}
