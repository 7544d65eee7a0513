import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { allKinds, kind, Namespace, Nest } from '../../kinds/index.ts'
import { recordingLog } from '../../ports/index.ts'
import { EventReader, refusal } from '../contract/subject.ts'
import { defaultWindow } from '../embedded/history.ts'
import type { Store } from '../store.ts'
import { applyChange, nestChange } from '../testing/changes.ts'
import { openStore } from '../testing/sqlite.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'

const nest = (name: string, eggs = 1) => ({ metadata: { namespace: 'here', name }, spec: { eggs, material: 'twig' as const } })

async function contents(store: Store, options = {}): Promise<readonly Nest[]> {
  return (await store.list(Nest, options)).items.map(item => item.object)
}

/** What a watcher sees who has been away since a revision. */
async function since(store: Store, resourceVersion: string, count: number): Promise<readonly string[]> {
  const stop = new AbortController()
  const lines = await new EventReader(store.watch(Nest, { resourceVersion, signal: stop.signal })).summary(count)
  stop.abort()
  return lines
}

describe('a store that is opened again', () => {
  test('holds what it held: objects, indexes, the past, and where revisions go on', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(nestChange, { maxLength: 20 }), fc.array(nestChange, { maxLength: 10 }), async (first, second) => {
        const folder = temporaryFolder()
        const before = await openStore(folder)
        for (const change of first) await applyChange(before, 'here', change)
        const middle = before.stats().revision
        const then = await contents(before)
        for (const change of second) await applyChange(before, 'here', change)
        const now = await contents(before)
        const oaks = await contents(before, { labelSelector: 'tree=oak' })
        const mossy = await contents(before, { fieldSelector: 'spec.material=moss' })
        const { revision } = before.stats()
        await before.close()

        const after = await openStore(folder)
        expect(await contents(after)).toEqual(now)
        expect(await contents(after, { labelSelector: 'tree=oak' })).toEqual(oaks)
        expect(await contents(after, { fieldSelector: 'spec.material=moss' })).toEqual(mossy)
        expect(await contents(after, { resourceVersion: String(middle), exactRevision: true })).toEqual(then)
        expect(after.stats().revision).toBe(revision)
        const made = await after.create(Nest, nest('z'))
        expect(made.metadata.resourceVersion).toBe(String(revision + 1))
        await after.close()
      }),
      { numRuns: 15 },
    )
  })

  test('goes on with a watch where it was', async () => {
    const folder = temporaryFolder()
    const before = await openStore(folder)
    const a = await before.create(Nest, nest('a'))
    const b = await before.create(Nest, nest('b'))
    await before.update(Nest, { ...b, spec: { ...b.spec, eggs: 2 } })
    await before.delete(Nest, { namespace: 'here', name: 'a' })
    await before.close()
    const after = await openStore(folder)
    expect(await since(after, a.metadata.resourceVersion!, 3)).toEqual(['ADDED b', 'MODIFIED b', 'DELETED a'])
    await after.close()
  })

  test('never uses a revision twice, even if the last change was a removal whose row is gone', async () => {
    const folder = temporaryFolder()
    const before = await openStore(folder, { window: { ...defaultWindow, fewest: 0, most: 0 } })
    for (let n = 0; n < 600; n++) {
      await before.create(Nest, nest('a'))
      await before.delete(Nest, { namespace: 'here', name: 'a' })
    }
    const { revision, supersededRows } = before.stats()
    expect(supersededRows).toBeLessThan(1100)
    await before.close()
    const after = await openStore(folder)
    const made = await after.create(Nest, nest('a'))
    expect(Number(made.metadata.resourceVersion)).toBe(revision + 1)
    await after.close()
  })

  test('keeps objects of kinds that this program does not know, and says so', async () => {
    const folder = temporaryFolder()
    const before = await openStore(folder)
    const made = await before.create(Nest, nest('a'))
    await before.close()
    const log = recordingLog()
    const without = await openStore(folder, { kinds: [Namespace], log })
    expect(log.lines.map(line => line.message)).toContain('the store holds objects of an unknown kind')
    await expect(without.list(Nest)).rejects.toMatchObject({ reason: 'NotFound' })
    await without.close()
    const again = await openStore(folder)
    expect(await contents(again)).toEqual([made])
    await again.close()
  })

  test('finds objects by a field that its kind did not declare before', async () => {
    const folder = temporaryFolder()
    const withoutFields: typeof Nest = { ...Nest, selectableFields: [] }
    const before = await openStore(folder, { kinds: [Namespace, withoutFields] })
    await before.create(withoutFields, nest('a'))
    await before.close()
    const after = await openStore(folder, { kinds: allKinds })
    expect(await contents(after, { fieldSelector: 'spec.material=twig' })).toHaveLength(1)
    await after.close()
  })

  test('lets go of objects from when less was asked of their kind, and takes every change but one that makes it worse', async () => {
    const scroll = (most: number, more: z.ZodRawShape) =>
      kind({
        group: 'demo.aviary.dev',
        version: 'v1alpha1',
        name: 'Scroll',
        plural: 'scrolls',
        scope: 'Cluster',
        description: 'A text.',
        spec: z.object({ text: z.string().max(most), ...more }),
        status: z.object({ lines: z.int().optional(), ...more }),
        rules: [{ path: 'spec.text', message: 'must end', fix: 'end it', holds: ({ spec }) => most > 5 || spec['text'].endsWith('.') }],
      })
    const old = scroll(20, { ink: z.string().optional() })
    const now = scroll(5, {})
    const folder = temporaryFolder()
    const before = await openStore(folder, { kinds: [Namespace, old] })
    const ink = { ink: 'red' }
    const made = await before.create(old, { metadata: { name: 'a', finalizers: ['x.dev/hold'] }, spec: { text: 'too long', ...ink } })
    await before.update(old, { ...made, status: { lines: 1, ...ink } }, { subresource: 'status' })
    await before.close()

    const store = await openStore(folder, { kinds: [Namespace, now] })
    const read = await store.get(now, { name: 'a' })
    const reported = await store.update(now, { ...read, status: { ...read.status, lines: 2 } }, { subresource: 'status' })
    expect(reported.status).toEqual({ lines: 2 })
    const labelled = await store.update(now, { ...reported, metadata: { ...reported.metadata, labels: { a: 'b' } } })
    expect([labelled.spec.text, labelled.metadata.labels]).toEqual(['too long', { a: 'b' }])
    const worse = (spec: object) => refusal(store.update(now, { ...labelled, spec: { ...labelled.spec, ...spec } }))
    expect((await worse({ text: 'too long, too' })).reason).toBe('Invalid')
    expect((await worse({ pen: 'blue' })).reason).toBe('BadRequest')
    const mended = await store.update(now, { ...labelled, spec: { ...labelled.spec, text: 'end.' } })
    expect(mended.spec).toEqual({ text: 'end.' })
    const { object } = await store.delete(now, { name: 'a' })
    await store.update(now, { ...object, metadata: { ...object.metadata, finalizers: [] } })
    expect((await refusal(store.get(now, { name: 'a' }))).reason).toBe('NotFound')
    await store.close()
  })

  test('may be closed again and again', async () => {
    const folder = temporaryFolder()
    const store = await openStore(folder)
    await Promise.all([store.close(), store.close()])
    const next = await openStore(folder)
    await store.close()
    // Whose folder it is now does not suffer from that.
    await expect(openStore(folder)).rejects.toMatchObject({ code: 'STORE_FOLDER_IN_USE' })
    await next.close()
  })

  test('is the same installation as before', async () => {
    const folder = temporaryFolder()
    const before = await openStore(folder)
    const { installation } = before
    expect(installation).toMatch(/^[0-9a-f-]{36}$/)
    await before.close()
    const after = await openStore(folder)
    expect(after.installation).toBe(installation)
    await after.close()
  })
})

describe('compaction', () => {
  test('keeps the write-ahead log bounded however much is written, by many together or by one after another', async () => {
    const store = await openStore(temporaryFolder())
    const note = 'x'.repeat(200_000)
    const large = (name: string) => store.create(Nest, { ...nest(name), metadata: { ...nest(name).metadata, annotations: { note } } })
    let most = 0
    for (let round = 0; round < 15; round++) {
      await Promise.all(Array.from({ length: 20 }, (_, n) => large(`many-${round}-${n}`)))
      for (let n = 0; n < 5; n++) await large(`one-${round}-${n}`)
      most = Math.max(most, store.stats().logBytes)
    }
    const written = 15 * 25 * note.length
    expect(store.stats().databaseBytes + store.stats().logBytes).toBeGreaterThan(written)
    // A thousand pages, and the largest commit.
    expect(most).toBeLessThan(32 * 1024 * 1024)
    await store.close()
  })

  test('keeps the file small under many updates of few objects', async () => {
    const folder = temporaryFolder()
    const store = await openStore(folder, { window: { ...defaultWindow, fewest: 0, most: 100 } })
    const note = 'x'.repeat(2000)
    let nests = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        store.create(Nest, { ...nest(`n${n}`), metadata: { ...nest(`n${n}`).metadata, annotations: { note } } }),
      ),
    )
    for (let round = 0; round < 40; round++) {
      nests = await Promise.all(
        nests.map(object => store.update(Nest, { ...object, spec: { ...object.spec, eggs: (object.spec.eggs + 1) % 12 } })),
      )
    }
    const { supersededRows, historyLength } = store.stats()
    expect(historyLength).toBe(100)
    expect(supersededRows).toBeLessThan(1300)
    expect(await contents(store)).toEqual(nests.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)))
    await store.close()
    // Without removals there would be 8,200 rows of 2.3 KB.
    expect(statSync(join(folder, 'aviary.db')).size).toBeLessThan(4000 * 2700)
  })
})

describe('a backup', () => {
  test('taken under load holds everything acknowledged before it, whole objects only, and opens as a store', async () => {
    const folder = temporaryFolder()
    const store = await openStore(folder)
    const before = await Promise.all(Array.from({ length: 500 }, (_, n) => store.create(Nest, nest(`before-${n}`))))
    let writing = true
    const load = (async () => {
      for (let n = 0; writing; n++) await Promise.all([0, 1, 2, 3].map(k => store.create(Nest, nest(`during-${n}-${k}`))))
    })()
    const file = join(folder, 'copy.db')
    await store.backup(file)
    writing = false
    await load
    const total = (await store.list(Nest)).items.length
    await store.close()

    const elsewhere = join(folder, 'restored')
    mkdirSync(elsewhere)
    copyFileSync(file, join(elsewhere, 'aviary.db'))
    const restored = await openStore(elsewhere)
    const names = new Map((await contents(restored)).map(object => [object.metadata.name, object]))
    for (const object of before) expect(names.get(object.metadata.name)).toEqual(object)
    expect(names.size).toBeLessThanOrEqual(total)
    expect(restored.installation).toBe(store.installation)
    await restored.close()
  })

  test('that is restored goes on beyond every revision that anybody can have seen, and who watched before lists again', async () => {
    const folder = temporaryFolder()
    const store = await openStore(folder)
    const a = await store.create(Nest, nest('a'))
    await store.backup(join(folder, 'copy.db'))
    const later = await store.create(Nest, nest('later'))
    await store.close()

    const elsewhere = join(folder, 'restored')
    mkdirSync(elsewhere)
    copyFileSync(join(folder, 'copy.db'), join(elsewhere, 'aviary.db'))
    const restored = await openStore(elsewhere)
    await expect(since(restored, later.metadata.resourceVersion!, 1)).rejects.toMatchObject({ reason: 'Expired' })
    const changed = await restored.update(Nest, { ...a, spec: { ...a.spec, eggs: 5 } })
    expect(Number(changed.metadata.resourceVersion)).toBeGreaterThan(Number(later.metadata.resourceVersion) + 1_000_000)
    await restored.close()
    const again = await openStore(elsewhere)
    expect(again.stats().revision).toBe(Number(changed.metadata.resourceVersion))
    await again.close()
  })

  test('that cannot be written leaves nothing behind and does not disturb the store', async () => {
    const folder = temporaryFolder()
    const store = await openStore(folder)
    const refused = { code: 'STORE_BACKUP_NOT_WRITTEN' }
    await expect(store.backup(join(folder, 'missing', 'copy.db'))).rejects.toMatchObject(refused)
    mkdirSync(join(folder, 'a-folder'))
    await expect(store.backup(join(folder, 'a-folder'))).rejects.toMatchObject({ code: 'STORE_BACKUP_TARGET_NOT_BACKUP' })
    expect(existsSync(join(folder, 'a-folder.unfinished'))).toBe(false)
    await store.create(Nest, nest('a'))
    await store.close()
    await expect(store.backup(join(folder, 'late.db'))).rejects.toMatchObject({ reason: 'ServiceUnavailable' })
  })

  test('never takes the place of the store itself, whatever way leads there', async () => {
    const folder = temporaryFolder()
    const store = await openStore(folder)
    await store.create(Nest, nest('a'))
    const link = join(temporaryFolder(), 'link')
    symlinkSync(folder, link)
    for (const name of ['aviary.db', 'aviary.db-wal', 'aviary.db-shm', 'aviary.db.format-1', 'lock', 'lock-journal', 'lock.owner']) {
      for (const way of [folder, link]) {
        await expect(store.backup(join(way, name))).rejects.toMatchObject({ code: 'STORE_FOLDER_FILE_TAKEN' })
      }
    }
    // Elsewhere the same name is the one under which it will be restored.
    await store.backup(join(temporaryFolder(), 'aviary.db'))
    await store.close()
    const again = await openStore(folder)
    expect(await contents(again)).toHaveLength(1)
    await again.close()
  })

  test('replaces an older one, and a closing store waits for it', async () => {
    const folder = temporaryFolder()
    const store = await openStore(folder)
    const file = join(folder, 'copy.db')
    await store.backup(file)
    const { size } = statSync(file)
    await Promise.all(Array.from({ length: 200 }, (_, n) => store.create(Nest, nest(`n${n}`))))
    const copying = store.backup(file)
    await store.close()
    await copying
    expect(readFileSync(file).subarray(0, 15).toString()).toBe('SQLite format 3')
    expect(statSync(file).size).toBeGreaterThan(size)
  })

  test('never replaces a file that is not a backup', async () => {
    const folder = temporaryFolder()
    const store = await openStore(folder)
    const file = join(folder, 'kubeconfig')
    writeFileSync(file, 'not a backup')
    await expect(store.backup(file)).rejects.toMatchObject({ code: 'STORE_BACKUP_TARGET_NOT_BACKUP' })
    expect(readFileSync(file, 'utf8')).toBe('not a backup')
    await store.close()
  })
})
