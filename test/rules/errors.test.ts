import { expect, test } from 'vitest'
import { errorsPage } from '../docs/errors-page.ts'
import { filesBelow, textOf } from './repository.ts'

const declaration = /\bfailure\(\s*'([^']+)'/g

/** Every planned error of the source, with the file that declares it. */
const declared = filesBelow('src')
  .filter(path => path.endsWith('.ts') && !path.endsWith('.test.ts') && path !== 'src/ports/failure.ts')
  .flatMap(path => [...textOf(path).matchAll(declaration)].map(([, code = '']) => ({ code, path })))

test('errors are declared in errors.ts, each code once and in capitals', () => {
  expect(declared.length).toBeGreaterThan(10)
  expect(declared.filter(({ path }) => !path.endsWith('/errors.ts'))).toEqual([])
  expect(declared.filter(({ code }) => !/^[A-Z][A-Z0-9_]+$/.test(code))).toEqual([])
  const codes = declared.map(({ code }) => code)
  expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([])
})

test('docs/errors.md lists every code', () => {
  const page = textOf('docs/errors.md')
  expect(declared.filter(({ code }) => !page.includes(`\`${code}\``))).toEqual([])
})

test('the page has a row for each error, with message and fix in words', async () => {
  const page = (await errorsPage()).get('docs/errors.md') ?? ''
  expect(declared.filter(({ code }) => !page.includes(`| \`${code}\` |`))).toEqual([])
  expect(page).toContain('| there is no file *path* |')
  expect(page).not.toMatch(/undefined|\[object|NaN/)
})
