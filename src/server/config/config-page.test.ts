import { expect, test } from 'vitest'
import { configPage } from './config-page.ts'
import { sections } from './sections.ts'

test('every key of every section is on the page, with a meaning', async () => {
  const page = await configPage()
  for (const { name, schema } of sections) {
    expect(page).toContain(`## \`[${name}]\``)
    for (const key of Object.keys(schema.shape)) expect(page).toMatch(new RegExp(`\\| \`${key}\` \\|.*\\| .+ \\||\\[${name}\\.${key}\\]`))
  }
})

test('a row says type, default and meaning', async () => {
  const page = await configPage()
  expect(page).toContain(
    '| `qps` | number ≥ 0 | `200` | Only `kubernetes`: requests a second at most, in the long run. 0 means no limit. |',
  )
  expect(page).toContain('| `audiences` | array of string | *required* | A token must be meant for one of these (`aud`). |')
})
