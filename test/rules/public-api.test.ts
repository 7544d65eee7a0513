import { expect, test } from 'vitest'
import { faceProblems } from './public-api.ts'
import { filesBelow, textOf } from './repository.ts'

test('what a module exports is listed by name and documented', () => {
  const faces = filesBelow('src').filter(path => path.endsWith('/index.ts'))
  expect(faces.length).toBeGreaterThan(3)
  expect(faces.flatMap(path => faceProblems(path, textOf))).toEqual([])
})

function problems(files: Readonly<Record<string, string>>): string[] {
  return faceProblems('src/nest/index.ts', path => files[path] ?? '')
}

test.each([
  ['a function', 'export function lay() {}'],
  ['an async function', 'export async function lay() {}'],
  ['a generator', 'export function* lay() {}'],
  ['a class', 'export class lay {}'],
  ['an interface', 'export interface lay {}'],
  ['a type', 'export type lay = string'],
  ['a constant', 'export const lay = 1'],
  ['something exported after it was declared', 'function lay() {}\nexport { lay }'],
])('%s without a comment is found, one with a comment is not', (_, text) => {
  const index = `export { lay } from './lay.ts'`
  expect(problems({ 'src/nest/index.ts': index, 'src/nest/lay.ts': text })).toEqual(['src/nest/index.ts exports lay, which has no comment'])
  expect(problems({ 'src/nest/index.ts': index, 'src/nest/lay.ts': `/** Lays an egg. */\n${text}` })).toEqual([])
})

test('a comment of another kind, or of something else, is none', () => {
  const index = `export { lay } from './lay.ts'`
  expect(problems({ 'src/nest/index.ts': index, 'src/nest/lay.ts': '// Lays.\nexport function lay() {}' })).toHaveLength(1)
  expect(problems({ 'src/nest/index.ts': index, 'src/nest/lay.ts': '/** Sits. */\nconst sit = 1\nexport function lay() {}' })).toHaveLength(
    1,
  )
})

test('an export is followed through files and new names', () => {
  const files = {
    'src/nest/index.ts': `export { layEgg } from './eggs/index.ts'`,
    'src/nest/eggs/index.ts': `export { lay as layEgg } from './lay.ts'`,
    'src/nest/eggs/lay.ts': 'export function lay() {}',
  }
  expect(problems(files)).toEqual(['src/nest/index.ts exports layEgg, which has no comment'])
  expect(problems({ ...files, 'src/nest/eggs/lay.ts': '/** Lays. */\nexport function lay() {}' })).toEqual([])
})

test('one comment is enough for a value and a type of one name', () => {
  const text = '/** A nest. */\nexport const Nest = 1\nexport type Nest = number'
  expect(problems({ 'src/nest/index.ts': `export { Nest } from './nest.ts'`, 'src/nest/nest.ts': text })).toEqual([])
})

test('everything of a file cannot be exported at once', () => {
  expect(problems({ 'src/nest/index.ts': `export * from './lay.ts'` })).toEqual([
    'src/nest/index.ts exports everything of ./lay.ts: list the names',
  ])
})
