import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesBelow, root, textOf } from './repository.ts'
import { requirementProblems } from './requirements.ts'

const ifThere = (path: string) => (existsSync(join(root, path)) ? textOf(path) : undefined)

test('every requirement names a test that exists', () => {
  const pages = filesBelow('docs/requirements').filter(path => path.endsWith('.md'))
  expect(pages.flatMap(page => requirementProblems(page, textOf(page), ifThere))).toEqual([])
})

const header = '# Nests\n\n| where | what | proved by |\n|---|---|---|\n'
const here = '`test/rules/requirements.test.ts`'
const check = (rows: string) => requirementProblems('page.md', header + rows, ifThere)

test('a row that names a test of this file is fine', () => {
  expect(check(`| §1 | eggs are counted | ${here} › a row that names a test of this file is fine |\n`)).toEqual([])
  expect(check(`| §1 | both | ${here} › a row without a test is found<br>${here} › a file that does not exist is found |\n`)).toEqual([])
})

test('a row without a test is found', () => {
  expect(check('| §1 | eggs are counted | later |\n')).toEqual(['page.md:5 names no test'])
})

test('a file that does not exist is found', () => {
  expect(check('| §1 | eggs | `src/nest/egg.test.ts` › eggs are counted |\n')).toEqual([
    'page.md:5 names src/nest/egg.test.ts, which does not exist',
  ])
})

test('a test that was renamed is found, also beside one that exists', () => {
  const gone = ['a row without', 'tests at all'].join(' ')
  expect(check(`| §1 | eggs | ${here} › a row without a test is found<br>${here} › ${gone} |\n`)).toEqual([
    `page.md:5 names the test "${gone}", which is not in test/rules/requirements.test.ts`,
  ])
})

test('a page without requirements is found', () => {
  expect(requirementProblems('page.md', '# Nests\n', ifThere)).toEqual(['page.md states no requirement'])
})

describe('what is no test proves nothing:', () => {
  test.each([['what is no test proves nothing:'], ['only a text of this file']])('%s', name => {
    expect(check(`| §1 | eggs | ${here} › ${name} |\n`)).toEqual([
      `page.md:5 names the test "${name}", which is not in test/rules/requirements.test.ts`,
    ])
  })
})

describe('a title with the one around it', () => {
  test('is understood', () => {
    expect(check(`| §1 | eggs | ${here} › a title with the one around it › is understood |\n`)).toEqual([])
    expect(check(`| §1 | eggs | ${here} › what is no test proves nothing: › is understood |\n`)).toHaveLength(1)
  })

  test.each([1])('is understood, from a table of %i too', () => {
    expect(check(`| §1 | eggs | ${here} › is understood, from a table of %i too |\n`)).toEqual([])
  })

  test.each([{ what: 'is understood, in a row of a table too' }])('$what', ({ what }) => {
    for (const name of ['$what', what]) expect(check(`| §1 | eggs | ${here} › a title with the one around it › ${name} |\n`)).toEqual([])
    expect(check(`| §1 | eggs | ${here} › what is no test proves nothing: › ${what} |\n`)).toHaveLength(1)
  })

  test(`is understood, from a template of ${header.length} too`, () => {
    expect(check(`| §1 | eggs | ${here} › is understood, from a template of \${header.length} too |\n`)).toEqual([])
  })
})
