import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { expect, test } from 'vitest'
import { memoryFiles, recordingLog, seededChance } from '../../ports/index.ts'
import { ConfigMap } from '../../kinds/index.ts'
import { loopback } from '../testing/aviary-on-loopback.ts'
import { sendBackup } from './backup-route.ts'

const key = { namespace: 'default', name: 'note' }

test('a backup taken while the server works can be restored into an empty folder', async () => {
  await using world = await loopback()
  const aviary = await world.start()
  const store = await world.store(aviary)
  await store.create(ConfigMap, { metadata: key, data: { a: 'before' } })
  const { status, headers, body } = await world.send(aviary, '/aviary/backup')
  expect([status, headers['content-type'], Number(headers['content-length'])]).toEqual([200, 'application/vnd.sqlite3', body.length])
  await store.update(ConfigMap, { ...(await store.get(ConfigMap, key)), data: { a: 'after' } })
  await expect.poll(async () => (await readdir(world.dataDir)).filter(name => name.startsWith('backup-'))).toEqual([])

  await mkdir(join(world.folder, 'restored'))
  await writeFile(join(world.folder, 'restored', 'aviary.db'), body)
  const restored = await world.start('[server]\nlisten = "127.0.0.1:0"\ndataDir = "restored"')
  expect((await (await world.store(restored)).get(ConfigMap, key)).data).toEqual({ a: 'before' })
})

test('what a crash amid a backup left behind is removed at the next start', async () => {
  await using world = await loopback()
  await mkdir(world.dataDir)
  const left = ['backup-abc.tmp', 'backup-abd.tmp.unfinished', 'backup-abd.tmp.unfinished-journal']
  for (const name of left) await writeFile(join(world.dataDir, name), 'half')
  await writeFile(join(world.dataDir, 'backup-of-mine.db'), 'mine')
  await world.start()
  const names = await readdir(world.dataDir)
  expect(names.filter(name => left.includes(name))).toEqual([])
  expect(names).toContain('backup-of-mine.db')
})

test('a copy that cannot be removed after it was sent is told of, and the server goes on', async () => {
  await using world = await loopback()
  const log = recordingLog()
  const files = { ...memoryFiles(), remove: () => Promise.reject(new Error('the disk is busy')) }
  const store = { backup: (file: string) => writeFile(file, 'everything') }
  const reply = {
    header: () => reply,
    send: (stream: Readable) => {
      stream.resume()
      return reply
    },
  }
  await sendBackup({ store, folder: world.folder, files, chance: seededChance(1), log }, reply as unknown as FastifyReply)
  await expect.poll(() => log.lines.map(({ message }) => message)).toEqual(['the copy of a backup was not removed; the next start does it'])
})
