import fastify from 'fastify'
import { expect, test } from 'vitest'
import type { Access } from '../../access/index.ts'
import type { Hatchery } from '../../hatchery/index.ts'
import { realClock, seededChance, silentLog } from '../../ports/index.ts'
import type { HatcheryHost } from './hatchery-host.ts'
import { hatcheryRoutes } from './hatchery-routes.ts'

/** Who comes may look at everything. */
const open = {
  authenticate: async () => ({ name: 'somebody', groups: [] }),
  authorize: () => ({ allowed: true, reason: '' }),
  throttle: () => undefined,
  audit: () => {},
} as unknown as Access

/** What the route of a table answers while the hatchery is as given. */
async function answer(name: string, hatchery: Partial<Hatchery> | undefined) {
  const app = fastify()
  const guard = { access: open, clock: realClock(), chance: seededChance(1), log: silentLog }
  hatcheryRoutes(app, guard, { current: hatchery, operations: () => [] } as unknown as HatcheryHost)
  const { statusCode, body } = await app.inject({ method: 'GET', url: `/hatchery/${name}` })
  await app.close()
  return { status: statusCode, body: JSON.parse(body) as unknown }
}

test('as long as the hatchery starts, the table of jobs says what it waits for; then no more', async () => {
  const startLine = 'The hatchery is starting and starts no worker yet: since yesterday it waits until tomorrow.'
  expect(await answer('jobs', { jobs: () => [], startLine })).toEqual({ status: 200, body: { items: [], line: startLine } })
  expect(await answer('jobs', { jobs: () => [] })).toEqual({ status: 200, body: { items: [] } })
})

test('where no hatchery runs at the moment there is no table', async () => {
  expect(await answer('jobs', undefined)).toMatchObject({
    status: 503,
    body: { message: expect.stringContaining('not running at the moment') },
  })
})
