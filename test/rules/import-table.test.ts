import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importProblems, importTable } from './import-table.ts'
import { root, textOf, typeScriptBelow } from './repository.ts'

test('modules import only what the table allows, through index.ts', () => {
  const files = typeScriptBelow('src', 'test', 'bench')
  expect(files.length).toBeGreaterThan(50)
  expect(files.flatMap(path => importProblems(path, textOf(path)))).toEqual([])
})

test('every folder of src is a module of the table', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).flatMap(entry => (entry.isDirectory() ? [entry.name] : []))
  expect(folders.filter(folder => !Object.hasOwn(importTable, folder))).toEqual([])
})

test('the services know neither each other nor the simulation', () => {
  const services = ['hatchery', 'fulfillment', 'pools', 'hypervisors']
  for (const service of services) {
    for (const other of [...services, 'simulation']) {
      if (other === service) continue
      expect(importProblems(`src/${service}/a.ts`, `import '../${other}/index.ts'`), `${service} → ${other}`).toHaveLength(1)
    }
  }
})

test.each([
  ['a value', `import { memoryStore } from '../store/index.ts'`],
  ['a type', `import type { Store } from '../store/index.ts'`],
  ['an inline type', `import { type Store } from '../store/index.ts'`],
  ['a re-export', `export { memoryStore } from '../store/index.ts'`],
  ['a re-exported type', `export type { Store } from '../store/index.ts'`],
  ['everything', `export * from '../store/index.ts'`],
  ['for its effects', `import '../store/index.ts'`],
  ['later', `const store = () => import('../store/index.ts')`],
])('a forbidden import of %s is found', (_, text) => {
  expect(importProblems('src/ports/clock.ts', text)).toEqual([
    'src/ports/clock.ts imports src/store/index.ts: module ports may not import store',
  ])
})

test('a module is imported through its index.ts, by tests too', () => {
  const problem = (path: string) => [`${path} imports src/store/errors.ts: import src/store/index.ts instead`]
  const text = `import { conflict } from '../store/errors.ts'`
  expect(importProblems('src/control/queue.ts', text)).toEqual(problem('src/control/queue.ts'))
  expect(importProblems('src/control/queue.test.ts', text)).toEqual(problem('src/control/queue.test.ts'))
  expect(importProblems('bench/store.ts', `import { conflict } from '../src/store/errors.ts'`)).toEqual(problem('bench/store.ts'))
})

test('what is there for tests is used by tests only', () => {
  for (const target of ['../store/contract.ts', '../store/testing/faults.ts']) {
    expect(importProblems('src/apiserver/serve.test.ts', `import '${target}'`)).toEqual([])
    expect(importProblems('src/apiserver/serve.ts', `import '${target}'`)).toHaveLength(1)
  }
  expect(importProblems('src/store/memory.ts', `import './testing/faults.ts'`)).toHaveLength(1)
})

test('what the modules of a column may import is allowed too', () => {
  expect(importProblems('src/control/queue.ts', `import { Secret } from '../ports/index.ts'`)).toEqual([])
})

test('tests may use any module', () => {
  expect(importProblems('src/hatchery/gate.test.ts', `import { faults } from '../simulation/index.ts'`)).toEqual([])
})

test('src stands on src alone, but may read its own version', () => {
  expect(importProblems('src/store/store.ts', `import { table } from '../../test/peers/table.ts'`)).toHaveLength(1)
  expect(importProblems('src/server/version.ts', `import about from '../../package.json' with { type: 'json' }`)).toEqual([])
})

test('an import of something computed is found, one in a comment or a text is not', () => {
  expect(importProblems('src/cli/main.ts', 'const load = (name: string) => import(`../${name}/index.ts`)')).toHaveLength(1)
  expect(importProblems('src/ports/clock.ts', `// import '../store/index.ts'\nexport const text = "import '../store/index.ts'"`)).toEqual(
    [],
  )
})
