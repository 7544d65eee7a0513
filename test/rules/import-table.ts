import { posix } from 'node:path'
import { parse } from './repository.ts'

/** Which rooms a room may import. It may import what those may, too. docs/architecture.md says what lives in each. */
export const importTable: Readonly<Record<string, readonly string[]>> = {
  ports: [],
  kinds: ['ports'],
  store: ['kinds'],
  control: ['store'],
  access: ['store'],
  apiserver: ['control', 'access'],
  platform: ['control'],
  vsphere: ['platform'],
  kubevirt: ['control'],
  openstack: ['ports'],
  simulation: ['vsphere', 'kubevirt', 'openstack'],
  hatchery: ['platform', 'vsphere'],
  fulfillment: ['access', 'kubevirt', 'control'],
  pools: ['platform', 'control'],
  hypervisors: ['openstack', 'control'],
  server: ['apiserver', 'simulation', 'hatchery', 'fulfillment', 'pools', 'hypervisors'],
  cli: ['server', 'store', 'kinds'],
}

const literal = /^(['"`])([^'"`$]*)\1$/

/** What is wrong with the imports of one file; nothing if all is well. */
export function importProblems(path: string, text: string): string[] {
  const problems: string[] = []
  for (const target of importsOf(path, text)) {
    if (target === undefined) {
      if (roomOf(path) !== undefined) problems.push(`${path} imports something that is not a plain text: nobody can tell what`)
    } else if (target.startsWith('.')) problems.push(...crossing(path, posix.join(posix.dirname(path), target)))
  }
  return problems
}

function crossing(from: string, to: string): string[] {
  const room = roomOf(from)
  const other = roomOf(to)
  const problems: string[] = []
  if (!isForTests(from) && isForTests(to)) problems.push(`${from} imports ${to}, which is there for tests only`)
  if (room === other) return problems
  if (other === undefined)
    return room === undefined || to === 'package.json' ? [] : [`${from} imports ${to}: what is in src/ stands on src/ alone`]
  if (to !== `src/${other}/index.ts` && !isForTests(to))
    problems.push(`${from} imports ${to}: rooms are entered through src/${other}/index.ts only`)
  // Tests may use whatever there is, by the front door.
  if (room !== undefined && !isForTests(from) && !reachable(room).has(other)) {
    problems.push(`${from} imports ${to}: room ${room} may not import ${other}`)
  }
  return problems
}

/** What is no part of the program: tests, benchmarks, the suites that implementations must pass, and what a room keeps for its tests. */
function isForTests(path: string): boolean {
  return /^(?:test|bench)\/|\.test\.ts$|\/(?:testing|recorded)\/|\/contract(?:\/|\.ts$)/.test(path)
}

/** The rooms that a room may import, by its column and by theirs. */
function reachable(room: string, seen = new Set<string>()): Set<string> {
  for (const next of importTable[room] ?? []) {
    if (seen.has(next)) continue
    seen.add(next)
    reachable(next, seen)
  }
  return seen
}

function roomOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1]
}

/** Everything that a file imports, types included; undefined stands for an `import()` of something computed. */
function importsOf(path: string, text: string): (string | undefined)[] {
  const { module } = parse(path, text)
  const exported = module.staticExports.flatMap(statement => statement.entries.flatMap(entry => entry.moduleRequest?.value ?? []))
  const dynamic = module.dynamicImports.map(({ moduleRequest }) => literal.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[2])
  return [...new Set([...module.staticImports.map(statement => statement.moduleRequest.value), ...exported, ...dynamic])]
}
