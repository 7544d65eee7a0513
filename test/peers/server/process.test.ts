import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ConfigMap } from '../../../src/kinds/index.ts'
import { workshop } from './aviary-process.ts'

const config = '[server]\nlisten = "127.0.0.1:0"\ndataDir = "data"\n[log]\nlevel = "error"'

test('a server that is killed amid writes starts again with everything it acknowledged, its tokens and its authority', async () => {
  await using shop = await workshop()
  const kubeconfig = join(shop.folder, 'data', 'kubeconfig')
  const first = await shop.start('first', config)
  await first.ready
  const store = await shop.store(kubeconfig)
  const acknowledged: string[] = []
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let i = 0; ; i++) {
      const name = `note-${writer}-${i}`
      await store.create(ConfigMap, { metadata: { namespace: 'default', name }, data: { name } })
      acknowledged.push(name)
    }
  })
  // Listened to from the start: they fail while the kill is still being waited for.
  const cutOff = Promise.allSettled(writers)
  await expect.poll(() => acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(200)
  await first.kill('SIGKILL')
  await cutOff

  const second = await shop.start('second', config)
  await second.ready
  const after = await shop.store(kubeconfig)
  const names = new Set((await after.list(ConfigMap, { namespace: 'default' })).items.map(({ object }) => object.metadata.name))
  expect(acknowledged.filter(name => !names.has(name))).toEqual([])
})

test('a second process in the same folder ends with code 5, says whose it is, and disturbs nobody', async () => {
  await using shop = await workshop()
  const first = await shop.start('first', config)
  await first.ready
  const second = await shop.start('second', config)
  const { code, stderr } = await second.ended
  expect(code).toBe(5)
  expect(stderr).toMatch(/error: data folder .* is in use by process \d+ on .*\nfix: stop that process/)
  const store = await shop.store(join(shop.folder, 'data', 'kubeconfig'))
  await store.create(ConfigMap, { metadata: { namespace: 'default', name: 'note' } })
})

test('a server that is asked to end does so with code 0 and leaves a clean folder', async () => {
  await using shop = await workshop()
  const server = await shop.start('first', config)
  await server.ready
  expect(await server.kill('SIGTERM')).toEqual({ code: 0, stderr: '' })
  const names = await readdir(join(shop.folder, 'data'))
  expect(names.filter(name => /-wal$|-shm$|-journal$|\.tmp$|\.new$/.test(name))).toEqual([])
})
