import { spawnSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const repository = resolve(import.meta.dirname, '../..')

/** What nobody outside ports may write: time, chance and the outside by another door. */
const forbidden: readonly (readonly [string, string])[] = [
  ['Date.now', 'export const now = Date.now()'],
  ['new Date', 'export const now = new Date()'],
  ['Date through globalThis', 'export const now = globalThis.Date.now()'],
  ['Date through global', 'export const now = global.Date.now()'],
  ['setTimeout', 'setTimeout(() => {}, 1)'],
  ['setInterval', 'setInterval(() => {}, 1)'],
  ['setImmediate', 'setImmediate(() => {})'],
  ['setTimeout handed on', 'export const later = [setTimeout]'],
  ['performance', 'export const now = performance.now()'],
  ['fetch', "export const page = await fetch('http://127.0.0.1/')"],
  ['Math.random', 'export const chance = Math.random()'],
  ['Math.random taken out', 'export const { random } = Math'],
  ['Math.random by a string', "export const chance = Math['random']()"],
  ['crypto.randomUUID', 'export const id = crypto.randomUUID()'],
  ['crypto.randomUUID of an import', "import crypto from 'node:crypto'\nexport const id = crypto.randomUUID()"],
  ['an imported randomUUID', "import { randomUUID } from 'node:crypto'\nexport const id = randomUUID()"],
  ['an imported randomBytes', "import { randomBytes as bytes } from 'node:crypto'\nexport const id = bytes(4)"],
  ['AbortSignal.timeout', 'export const signal = AbortSignal.timeout(1)'],
  ['process.hrtime', 'export const now = process.hrtime.bigint()'],
  ['an imported hrtime', "import { hrtime } from 'node:process'\nexport const now = hrtime()"],
  ['NODE_TLS_REJECT_UNAUTHORIZED', "process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'"],
  ...[
    'node:timers',
    'node:timers/promises',
    'timers/promises',
    'node:perf_hooks',
    'node:net',
    'net',
    'node:http',
    'node:https',
    'node:http2',
    'node:tls',
    'node:dns',
    'node:dns/promises',
    'node:dgram',
    'node:child_process',
    'undici',
  ].map(name => [`an import of ${name}`, `import * as it from '${name}'\nexport const found = it`] as const),
  ['a re-export of node:net', "export { connect } from 'node:net'"],
]

/** What lint forbids for other reasons, and by which rule. */
const unwanted: readonly (readonly [string, string, string])[] = [
  ['a promise that nobody waits for', 'typescript(no-floating-promises)', 'const work = async () => {}\nwork()\nexport const done = true'],
  ['a default export', 'import(no-default-export)', 'export default 1'],
  ['console', 'eslint(no-console)', "console.log('said')"],
  ['a type imported as a value', 'typescript(consistent-type-imports)', "import { Stats } from 'node:fs'\nexport type S = Stats"],
]

const harmless = `
import { createHash } from 'node:crypto'
import process from 'node:process'
interface Clock { now(): number; after(ms: number, callback: () => void): void }
export const started = (clock: Clock) => Math.floor(clock.now() / 1000) + process.pid
export const digest = createHash('sha256').update('x').digest('hex')
`

interface Diagnostic {
  readonly code: string
  readonly message: string
  readonly filename: string
}

let tree: string
let findings: Map<string, readonly Diagnostic[]>

/** Where a piece of code is tried: a file of its own, so that each finding has one cause. */
const files = new Map<string, string>()
const place = (folder: string, name: string, code: string) => {
  const path = `${folder}/${name.replace(/[^a-z0-9.]+/gi, '-')}.ts`
  files.set(path, code)
  return path
}

const cases = forbidden.map(([name, code]) => ({ name, path: place('src/store', name, code) }))
const others = unwanted.map(([name, rule, code]) => ({ name, rule, path: place('src/control', name, code) }))
const inPorts = forbidden.filter(([name]) => !name.includes('TLS')).map(([name, code]) => ({ name, path: place('src/ports', name, code) }))
const tlsInPorts = place('src/ports', 'tls', "process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'")
const clean = place('src/store', 'clean', harmless)
const inTest = place('src/store', 'adapter.test', 'export const now = Date.now()')

beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'aviary-lint-'))
  symlinkSync(join(repository, 'node_modules'), join(tree, 'node_modules'))
  for (const name of ['.oxlintrc.json', 'tsconfig.json', 'package.json']) copyFileSync(join(repository, name), join(tree, name))
  for (const [path, code] of files) {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    writeFileSync(join(tree, path), code)
  }
  const oxlint = join(repository, 'node_modules/.bin/oxlint')
  const { stdout } = spawnSync(process.execPath, [oxlint, '--format=json', 'src'], { cwd: tree, encoding: 'utf8', maxBuffer: 2 ** 26 })
  const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: readonly Diagnostic[] }
  findings = Map.groupBy(diagnostics, diagnostic => diagnostic.filename)
})
afterAll(() => rmSync(tree, { recursive: true, force: true }))

const found = (path: string) => findings.get(path) ?? []
const restrictions = (path: string) => found(path).filter(({ code }) => code.includes('restricted'))

describe('time, chance and the outside come in through ports', () => {
  test.each(cases)('$name is refused elsewhere, with what to use instead', ({ path }) => {
    expect(restrictions(path)).not.toEqual([])
    expect(JSON.stringify(restrictions(path))).toMatch(/through ports|never switched off/)
  })

  test.each(inPorts)('$name is allowed there', ({ path }) => expect(restrictions(path)).toEqual([]))

  test('verification of TLS is not switched off even there', () => expect(restrictions(tlsInPorts)).not.toEqual([]))

  test('a test may use the real clock', () => expect(restrictions(inTest)).toEqual([]))

  test('code that keeps to it is left alone', () => expect(found(clean)).toEqual([]))
})

describe('also refused', () => {
  test.each(others)('$name', ({ path, rule }) => expect(found(path).map(({ code }) => code)).toContain(rule))
})

test('nobody loads at run time what lint forbids to import', () => {
  const dynamic =
    /(?:import|require|getBuiltinModule)\(\s*['"](?:undici|(?:node:)?(?:timers|perf_hooks|net|tls|dns|dgram|https?|http2|child_process))['"/]/
  const sources = globSync('src/**/*.ts', { cwd: repository }).filter(path => !path.startsWith('src/ports/') && !path.endsWith('.test.ts'))
  expect(sources).not.toEqual([])
  expect(sources.filter(path => dynamic.test(readFileSync(join(repository, path), 'utf8')))).toEqual([])
})
