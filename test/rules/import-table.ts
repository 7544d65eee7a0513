import { posix } from 'node:path'
import { parse } from './repository.ts'

/** Which modules a module may import. It may import what those may, too. docs/architecture.md says what lives in each. */
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

/** The forbidden imports of one file. */
export function importProblems(path: string, text: string): string[] {
  const problems: string[] = []
  for (const target of importsOf(path, text)) {
    if (target === undefined) {
      if (moduleOf(path) !== undefined) problems.push(`${path} imports a computed path, which no check can follow`)
    } else if (target.startsWith('.')) problems.push(...crossing(path, posix.join(posix.dirname(path), target)))
  }
  return problems
}

function crossing(from: string, to: string): string[] {
  const module = moduleOf(from)
  const other = moduleOf(to)
  const problems: string[] = []
  if (!isForTests(from) && isForTests(to)) problems.push(`${from} imports ${to}, which is test code`)
  if (module === other) return problems
  if (other === undefined)
    return module === undefined || to === 'package.json' ? [] : [`${from} imports ${to}: code in src/ imports only src/`]
  if (to !== `src/${other}/index.ts` && !isForTests(to)) problems.push(`${from} imports ${to}: import src/${other}/index.ts instead`)
  // Tests may import any module, through its index.ts.
  if (module !== undefined && !isForTests(from) && !reachable(module).has(other)) {
    problems.push(`${from} imports ${to}: module ${module} may not import ${other}`)
  }
  return problems
}

/** Test code: tests, benchmarks, contract suites and what a module keeps for its tests. */
function isForTests(path: string): boolean {
  return /^(?:test|bench)\/|\.test\.ts$|\/(?:testing|recorded)\/|\/contract(?:\/|\.ts$)/.test(path)
}

/** The modules that a module may import, by its column and by theirs. */
function reachable(module: string, seen = new Set<string>()): Set<string> {
  for (const next of importTable[module] ?? []) {
    if (seen.has(next)) continue
    seen.add(next)
    reachable(next, seen)
  }
  return seen
}

function moduleOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1]
}

/** Everything that a file imports, types included; undefined stands for an `import()` of something computed. */
function importsOf(path: string, text: string): (string | undefined)[] {
  const { module } = parse(path, text)
  const exported = module.staticExports.flatMap(statement => statement.entries.flatMap(entry => entry.moduleRequest?.value ?? []))
  const dynamic = module.dynamicImports.map(({ moduleRequest }) => literal.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[2])
  return [...new Set([...module.staticImports.map(statement => statement.moduleRequest.value), ...exported, ...dynamic])]
}
