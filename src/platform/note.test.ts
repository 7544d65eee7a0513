import { expect, test } from 'vitest'
import { noteField, noteOf, readNote } from './note.ts'

test('a JSON object is a note, frozen to the bottom', () => {
  const note = readNote(' {"owner":{"name":"a"}}') as { owner: object }
  expect(note).toEqual({ owner: { name: 'a' } })
  expect(Object.isFrozen(note.owner)).toBe(true)
})

test.each(['', 'web server of Bob', '{"a":', '[1]', '"a"', '42', `{"a":"${'x'.repeat(70_000)}"}`, `{"a":${'['.repeat(32_000)}`])(
  'what others write is no note: %.20s',
  text => {
    expect(readNote(text)).toBeUndefined()
  },
)

test('a text that did not change is not read again', () => {
  const note = readNote('{"a":1}')
  expect(noteOf('{"a":1}', { annotation: '{"a":1}', note })).toBe(note)
  expect(noteOf('{"a":2}', { annotation: '{"a":1}', note })).toEqual({ a: 2 })
  expect(noteOf('{"a":1}', undefined)).toEqual({ a: 1 })
})

test('a field is read only from a note that has it', () => {
  expect(noteField(readNote('{"a":1}'), 'a')).toBe(1)
  expect([noteField(readNote('{"a":1}'), 'toString'), noteField(undefined, 'a'), noteField([1], '0')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
