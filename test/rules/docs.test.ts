import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { marks, shellBlocks } from '../docs/shell-blocks.ts'
import { importTable } from './import-table.ts'
import { filesBelow, root, textOf } from './repository.ts'

const pages = filesBelow().filter(path => path.endsWith('.md'))
const about: { scripts: Record<string, string>; dependencies: object; devDependencies: object } = JSON.parse(textOf('package.json'))

test('the pages that a stranger looks for are there', () => {
  const wanted = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'docs/architecture.md', 'docs/operating.md', 'docs/errors.md']
  expect(wanted.filter(path => !existsSync(join(root, path)))).toEqual([])
  expect(textOf('LICENSE')).toContain('Apache License')
})

test('links between pages lead somewhere', () => {
  const broken = pages.flatMap(page =>
    [...textOf(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
      .map(([, target = '']) => target)
      .filter(target => !existsSync(join(root, dirname(page), target)))
      .map(target => `${page} → ${target}`),
  )
  expect(broken).toEqual([])
})

test('every block of commands says whether a test runs it', () => {
  const blocks = pages.flatMap(page => shellBlocks(textOf(page)).map(block => ({ page, ...block })))
  expect(blocks.length).toBeGreaterThan(3)
  expect(blocks.filter(({ mark }) => !marks.includes(mark)).map(({ page, line }) => `${page}:${line}`)).toEqual([])
  expect(shellBlocks('text\n```sh\nnpm start\n```\n')).toEqual([{ mark: '', commands: 'npm start\n', line: 2 }])
})

test('every npm script that a page names exists', () => {
  const named = pages.flatMap(page =>
    [...textOf(page).matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)].map(([, run, short]) => run ?? short ?? ''),
  )
  expect(named).toContain('start')
  expect([...new Set(named)].filter(name => !Object.hasOwn(about.scripts, name))).toEqual([])
})

test('the table of modules is the one that is enforced', () => {
  const rows = [...textOf('docs/architecture.md').matchAll(/^\| (\w+) \| .* \| ([\w, ]+) \|$/gm)].filter(
    ([, module]) => module !== 'module',
  )
  const table = Object.fromEntries(rows.map(([, module = '', may = '']) => [module, may === 'nothing' ? [] : may.split(', ')]))
  expect(table).toEqual(importTable)
})

test('the picture shows every module, and which of them are there', () => {
  const drawn = [...textOf('docs/architecture.svg').matchAll(/<rect class="(now|later)" [^>]*>\s*<text[^>]*>(\w+)</g)]
  const modules = Object.fromEntries(drawn.map(([, state = '', module = '']) => [module, state]))
  const isThere = (module: string) => existsSync(join(root, 'src', module))
  expect(modules).toMatchObject(Object.fromEntries(Object.keys(importTable).map(module => [module, isThere(module) ? 'now' : 'later'])))
})

test('every dependency has its reason, and every reason its dependency', () => {
  const listed = [...textOf('docs/dependencies.md').matchAll(/^\| ([^|]+) \| /gm)].flatMap(([, names = '']) => names.split(', '))
  const wanted = [...Object.keys(about.dependencies), ...Object.keys(about.devDependencies)]
  expect(listed.filter(name => name !== 'package').toSorted()).toEqual(wanted.toSorted())
})

test('decisions are numbered without gaps, and their list has them all', () => {
  const notes = filesBelow('docs/decisions')
    .map(path => path.slice('docs/decisions/'.length))
    .filter(name => name !== 'README.md')
  expect(notes.map(name => Number(name.slice(0, 4)))).toEqual(notes.map((_, index) => index + 1))
  const list = textOf('docs/decisions/README.md')
  expect(notes.filter(name => !list.includes(`(${name})`))).toEqual([])
})
