/**
 * Runs benchmarks: `npm run bench -- NAME [options]`, where NAME is a folder here with an index.ts. Prints a table and writes
 * bench/results/NAME.json.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import type { Result } from './frame/result.ts'
import { watchStolen } from './frame/stolen.ts'
import { table } from './frame/table.ts'

/** How to run a suite. */
export interface SuiteOptions {
  /** Only the workloads whose name begins with one of these; all if there is none. */
  readonly only: readonly string[]
  /** Smaller numbers and fewer rounds, to see whether it runs at all. */
  readonly quick: boolean
  readonly rounds: number | undefined
  /** Tells the person who waits what is going on. */
  say(line: string): void
}

const suites = readdirSync(import.meta.dirname).filter(name => existsSync(new URL(`${name}/index.ts`, import.meta.url)))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
  },
})
const [name = '', ...others] = positionals
const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
if (!suites.includes(name) || others.length > 0 || (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))) {
  const usage = 'usage: npm run bench -- NAME [--only WORKLOAD] [--quick] [--rounds N]'
  console.error(`${usage}\n\nNAME is one of: ${suites.join(', ')}\nN is a whole number from 1`)
  process.exit(2)
}

const { suite } = (await import(new URL(`${name}/index.ts`, import.meta.url).href)) as {
  suite(options: SuiteOptions): Promise<readonly Result[]>
}
const began = new Date()
const stolenSince = watchStolen()
const results = await suite({
  only: values.only,
  quick: values.quick,
  rounds,
  say: line => process.stderr.write(`${line}\n`),
})
if (results.length === 0) {
  console.error(`no workload of ${name} begins with ${values.only.join(' or ')}`)
  process.exit(2)
}
const stolen = stolenSince()
console.log(table(results))
if (stolen !== undefined) {
  console.log(`\nof the processor time that was wanted meanwhile, the host of this machine kept ${Math.round(stolen * 100)} %`)
}

const folder = new URL('results/', import.meta.url)
const file = new URL(`${name}.json`, folder)
const machine = { cpu: cpus()[0]?.model, cores: cpus().length, memoryBytes: totalmem(), node: process.version }
mkdirSync(folder, { recursive: true })
writeFileSync(
  file,
  `${JSON.stringify({ suite: name, began: began.toISOString(), quick: values.quick, machine, stolen, results }, undefined, 2)}\n`,
)
console.log(`\nwritten to bench/results/${name}.json`)
