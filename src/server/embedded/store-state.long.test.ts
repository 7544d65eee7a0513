import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { ConfigMap } from '../../kinds/index.ts'
import { loopback } from '../testing/aviary-on-loopback.ts'

const note = { metadata: { namespace: 'default', name: 'note' }, data: {} }

test('a server whose database does not accept writes is not ready, but alive, and ready again by itself', async () => {
  await using world = await loopback()
  const aviary = await world.start()
  const status = async (path: string) => (await world.send(aviary, path, { token: '' })).status
  expect([await status('/readyz'), await status('/livez')]).toEqual([200, 200])
  const other = new DatabaseSync(join(world.dataDir, 'aviary.db'))
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  // Nobody writes: the server finds it out.
  await expect.poll(() => status('/readyz'), { timeout: 30_000, interval: 500 }).toBe(500)
  expect((await world.send(aviary, '/readyz?verbose', { token: '' })).text()).toContain('[-]store failed')
  expect(await status('/livez')).toBe(200)
  other.exec('ROLLBACK')
  await expect.poll(() => status('/readyz'), { timeout: 30_000, interval: 500 }).toBe(200)
}, 90_000)

test('a server whose store failed is neither ready nor alive, because only a restart helps', async () => {
  await using world = await loopback()
  const aviary = await world.start()
  const store = await world.store(aviary)
  const other = new DatabaseSync(join(world.dataDir, 'aviary.db'))
  other.exec('DROP TABLE revision')
  other.close()
  await expect(store.create(ConfigMap, note)).rejects.toThrow('writes are refused until the next start')
  for (const path of ['/readyz', '/livez']) expect((await world.send(aviary, path, { token: '' })).status).toBe(500)
  expect((await store.list(ConfigMap)).items).toEqual([])
}, 60_000)

test('a server whose database was deleted does not start with an empty one, until that is confirmed', async () => {
  await using world = await loopback()
  const aviary = await world.start()
  await (await world.store(aviary)).create(ConfigMap, note)
  await aviary.stop()
  for (const name of await readdir(world.dataDir)) if (name.startsWith('aviary.db')) await rm(join(world.dataDir, name))
  await expect(world.start()).rejects.toMatchObject({
    code: 'STORE_DATABASE_MISSING',
    message: expect.stringContaining('it holds audit, kubeconfig, tls'),
    fix: expect.stringContaining(join(world.dataDir, 'accept-data-loss')),
  })
  await writeFile(join(world.dataDir, 'accept-data-loss'), '')
  const again = await world.start()
  expect((await (await world.store(again)).list(ConfigMap)).items).toEqual([])
}, 60_000)
