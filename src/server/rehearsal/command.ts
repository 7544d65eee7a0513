import { parseArgs } from 'node:util'
import { formatDuration, realClock } from '../../ports/index.ts'
import { type Rehearsal, rehearse } from './rehearse.ts'

const usage = `usage: npm run rehearse -- [options]

  --seeds N      rehearse so many seeds (default 500)
  --from N       the first of them (default 1)
  --minutes N    let the storm of each last so long, instead of the 2 to 5 minutes that its seed draws
  --seed N       rehearse this one and print everything that happens`

const minute = 60_000

/** Rehearses seeds as the arguments say. Gives the exit code: 0 only if none failed. */
export async function main(args: readonly string[]): Promise<number> {
  const options = read(args)
  if (options === undefined) return 2
  return options.seed === undefined ? await rehearseMany(options) : await replay(options.seed, options.length)
}

interface Options {
  readonly seed: number | undefined
  readonly from: number
  readonly seeds: number
  readonly length: number | undefined
}

async function replay(seed: number, length: number | undefined): Promise<number> {
  const rehearsal = await rehearse(seed, length)
  say(JSON.stringify(rehearsal.scene, undefined, 2))
  for (const line of rehearsal.trace()) say(line)
  say(`\nseed ${seed}: ${summary([rehearsal])}`)
  for (const wrong of rehearsal.wrongs) say(`  ${wrong}`)
  return rehearsal.wrongs.length === 0 ? 0 : 1
}

async function rehearseMany({ from, seeds, length }: Options): Promise<number> {
  const clock = realClock()
  const began = clock.monotonic()
  const done: Pick<Rehearsal, 'wrongs' | 'simulated' | 'jobs'>[] = []
  for (let seed = from; seed < from + seeds; seed++) {
    const { wrongs, simulated, jobs } = await rehearse(seed, length)
    done.push({ wrongs, simulated, jobs })
    if (wrongs.length > 0) {
      clearLine()
      say(`seed ${seed}: ${wrongs.join('; ')}`)
      say(`  npm run rehearse -- --seed ${seed}${length === undefined ? '' : ` --minutes ${length / minute}`}`)
    }
    if (done.length % 10 === 0) showProgress(`${done.length} of ${seeds} seeds, ${summary(done)}`)
  }
  clearLine()
  say(`${summary(done)}, in ${formatDuration(Math.round((clock.monotonic() - began) / 1_000) * 1_000)}`)
  return done.every(({ wrongs }) => wrongs.length === 0) ? 0 : 1
}

function summary(done: readonly Pick<Rehearsal, 'wrongs' | 'simulated' | 'jobs'>[]): string {
  const hours = done.reduce((sum, { simulated }) => sum + simulated, 0) / (60 * minute)
  const jobs = new Map<string, number>()
  for (const each of done) for (const [status, count] of each.jobs) jobs.set(status, (jobs.get(status) ?? 0) + count)
  const ends = Array.from(jobs, ([status, count]) => `${count} ${status}`).join(', ')
  const failed = done.filter(({ wrongs }) => wrongs.length > 0).length
  return `${done.length - failed} passed, ${failed} failed, ${hours.toFixed(1)} simulated hours, jobs: ${ends}`
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** One line for whoever watches; nothing in a file. */
function showProgress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${line}`)
}

function clearLine(): void {
  showProgress('')
}

function read(args: readonly string[]): Options | undefined {
  const text = { type: 'string' } as const
  try {
    const { values } = parseArgs({ args: [...args], options: { seed: text, seeds: text, from: text, minutes: text } })
    const minutes = whole('minutes', values.minutes)
    return {
      seed: whole('seed', values.seed),
      from: whole('from', values.from) ?? 1,
      seeds: whole('seeds', values.seeds) ?? 500,
      length: minutes === undefined ? undefined : minutes * minute,
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}\n`)
    return undefined
  }
}

function whole(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name} must be a whole number from 1 on, not "${text}"`)
  return Number(text)
}
