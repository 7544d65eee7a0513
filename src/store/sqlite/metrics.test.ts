import { expect, test } from 'vitest'
import { Nest } from '../../kinds/index.ts'
import { prometheusMetrics } from '../../ports/index.ts'
import { openStore } from '../testing/sqlite.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'

test('a store tells how many objects it holds, where it is, and how commits go', async () => {
  const metrics = prometheusMetrics()
  const store = await openStore(temporaryFolder(), { metrics })
  await Promise.all(
    ['a', 'b', 'c'].map(name => store.create(Nest, { metadata: { namespace: 'here', name }, spec: { eggs: 1, material: 'twig' } })),
  )
  const stop = new AbortController()
  store.watch(Nest, { signal: stop.signal })
  const text = await metrics.text()
  for (const line of [
    'aviary_store_objects{kind="nests.demo.aviary.dev"} 3',
    'aviary_store_revision 5',
    'aviary_store_history_revisions 4',
    'aviary_store_watches 1',
    'aviary_store_superseded_rows 0',
    'aviary_store_commit_changes_sum 4',
    'aviary_store_commit_changes_count 2',
    'aviary_store_commit_seconds_count 2',
  ]) {
    expect(text).toContain(`${line}\n`)
  }
  expect(text).toMatch(/aviary_store_database_bytes \d{4,}/)
  stop.abort()
  await store.close()
})
