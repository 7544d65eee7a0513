import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { loopback } from '../testing/aviary-on-loopback.ts'

test('every metric of the program itself is explained in docs/operating.md', async () => {
  await using world = await loopback()
  const aviary = await world.start()
  const { status, body } = await world.send(aviary, '/metrics')
  const names = [...new TextDecoder().decode(body).matchAll(/^# TYPE (aviary_\w+) /gm)].map(([, name]) => name as string)
  expect([status, names.length > 15]).toEqual([200, true])
  const page = await readFile(new URL('../../../docs/operating.md', import.meta.url), 'utf8')
  expect(names.filter(name => !page.includes(`\`${name}\``))).toEqual([])
})
