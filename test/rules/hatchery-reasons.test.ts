import { expect, test } from 'vitest'
import { textOf, typeScriptBelow } from './repository.ts'

/** How a reason is given: `reason: 'X'`, `refuse('X', …)`, `none('X', …)`, and `reason = … ? 'X' : 'Y'`. */
const forms = [/(?:\breason: |\b(?:refuse|none)\()'(\w+)'/g, /\breason = .*\? '(\w+)' : '(\w+)'/g]

/** Every reason that `aviary why job/ID` can print: of the gates, of registrations, and of what is done for the job. */
const reasons = ['gates', 'models', 'registration', 'dispatch', 'spawn']
  .flatMap(folder => typeScriptBelow(`src/hatchery/${folder}`))
  .filter(path => !path.endsWith('.test.ts'))
  .flatMap(path => forms.flatMap(form => [...textOf(path).matchAll(form)].flatMap(([, ...found]) => found)))

/** The chapter of docs/hatchery.md that explains them. */
const [, chapter = ''] = /^## Why a job waits$([^]*?)^## /m.exec(textOf('docs/hatchery.md')) ?? []

test('docs/hatchery.md explains every reason for which a job waits, and none that there is not', () => {
  expect(new Set(reasons).size).toBeGreaterThan(30)
  expect([...new Set(reasons)].filter(reason => !chapter.includes(`\`${reason}\``))).toEqual([])
  const explained = [...chapter.matchAll(/`([A-Z][a-z]+\w*)`/g)].map(([, reason = '']) => reason)
  expect(explained.filter(reason => !reasons.includes(reason))).toEqual([])
})
