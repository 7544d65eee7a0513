import { describe, expect, test } from 'vitest'
import { ConfigMap, CustomResourceDefinition, Nest } from '../../../kinds/index.ts'
import { seededChance, VirtualClock } from '../../../ports/index.ts'
import { StoreError } from '../../errors.ts'
import { memoryStore } from '../../memory-store.ts'
import type { Store } from '../../store.ts'
import { compareVersions, crdPlan } from './crd-plan.ts'
import { installCrds } from './install-crds.ts'

const name = 'nests.demo.aviary.dev'

/** A server that takes CRDs and, a second after it got one, sets a condition on it. */
function server({ type = 'Established', status = 'True', message = '' } = {}) {
  const clock = new VirtualClock()
  const inner = memoryStore({ kinds: [CustomResourceDefinition, Nest], clock, chance: seededChance(1) })
  const writes: string[] = []
  let interfere: (() => Promise<void>) | undefined
  const decide = async () => {
    const crd = await inner.get(CustomResourceDefinition, { name })
    const condition = { type, status, message }
    await inner.update(CustomResourceDefinition, { ...crd, status: { conditions: [condition] } }, { subresource: 'status' })
  }
  const store: Store = {
    get: (kind, key) => inner.get(kind, key),
    list: (kind, options) => inner.list(kind, options),
    watch: (kind, options) => inner.watch(kind, options),
    delete: (kind, key, options) => inner.delete(kind, key, options),
    close: () => inner.close(),
    create: async (kind, draft, options) => {
      await interfere?.()
      const made = await inner.create(kind, draft, options)
      writes.push(`create ${made.metadata.name}`)
      clock.after(1000, () => void decide())
      return made
    },
    update: async (kind, object, options) => {
      await interfere?.()
      const made = await inner.update(kind, object, options)
      writes.push(`update ${made.metadata.name}`)
      return made
    },
  }
  const install = async (version: string, more: { adopt?: boolean; store?: Store } = {}) => {
    const outcome = installCrds({ store, kinds: [ConfigMap, Nest], version, clock, ...more }).catch((error: unknown) => error as Error)
    await clock.advance(70_000)
    return outcome
  }
  return {
    clock,
    store,
    inner,
    writes,
    install,
    interfereOnce: (act: () => Promise<void>) => (interfere = async () => ((interfere = undefined), act())),
  }
}

/** As somebody else, or another version, would have left it. */
async function leave(store: Store, annotations: Record<string, string>) {
  const there = await store.get(CustomResourceDefinition, { name })
  await store.update(CustomResourceDefinition, { ...there, metadata: { ...there.metadata, annotations } })
}

describe('installing', () => {
  test('creates what is missing, leaves built-in kinds alone, and then has nothing to do', async () => {
    const { install, writes, store } = server()
    expect(await install('1.2.0')).toEqual([{ name, outcome: 'created' }])
    expect((await store.get(CustomResourceDefinition, { name })).metadata.annotations).toMatchObject({ 'aviary.dev/version': '1.2.0' })
    expect(await install('1.2.0')).toEqual([{ name, outcome: 'unchanged' }])
    expect(await install('1.1.0')).toEqual([{ name, outcome: 'unchanged' }])
    expect(writes).toEqual([`create ${name}`])
  })

  test('brings an older one up to date and keeps what others wrote on it', async () => {
    const { install, store } = server()
    await install('1.2.0')
    await leave(store, { 'aviary.dev/version': '1.1.9', 'aviary.dev/crd-hash': 'old', other: 'kept' })
    expect(await install('1.2.0')).toEqual([{ name, outcome: 'updated' }])
    expect((await store.get(CustomResourceDefinition, { name })).metadata.annotations).toMatchObject({
      'aviary.dev/version': '1.2.0',
      other: 'kept',
    })
    expect(await install('1.2.0')).toEqual([{ name, outcome: 'unchanged' }])
  })

  test('never touches one of a newer Aviary', async () => {
    const { install, store, writes } = server()
    await install('1.2.0')
    await leave(store, { 'aviary.dev/version': '1.10.0', 'aviary.dev/crd-hash': 'newer' })
    writes.length = 0
    expect(await install('1.2.0', { adopt: true })).toMatchObject({
      code: 'CRDS_REFUSED',
      message: `nothing was installed: ${name} is of Aviary 1.10.0, this is 1.2.0`,
      fix: 'use the newer Aviary',
    })
    expect(writes).toEqual([])
  })

  test('takes one of somebody else only if told to', async () => {
    const { install, store } = server()
    await install('1.2.0')
    await leave(store, {})
    expect(await install('1.2.0')).toMatchObject({
      code: 'CRDS_REFUSED',
      message: `nothing was installed: ${name} was not installed by Aviary`,
      fix: expect.stringContaining('--adopt') as string,
    })
    expect(await install('1.2.0', { adopt: true })).toEqual([{ name, outcome: 'updated' }])
  })

  test('gets along with another replica that does the same', async () => {
    const { install, inner, interfereOnce, store } = server()
    interfereOnce(async () => {
      const plan = crdPlan(Nest, undefined, { version: '1.2.0', adopt: false })
      if (plan.action === 'create') await inner.create(CustomResourceDefinition, plan.draft)
    })
    const racing = install('1.2.0')
    expect(await racing).toMatchObject({ code: 'CRD_NOT_SERVED' })
    expect((await store.list(CustomResourceDefinition)).items).toHaveLength(1)
    await leave(store, { 'aviary.dev/version': '1.1.0' })
    interfereOnce(() => leave(inner, { 'aviary.dev/version': '1.1.1' }))
    await install('1.2.0')
    expect((await store.get(CustomResourceDefinition, { name })).metadata.annotations).toMatchObject({ 'aviary.dev/version': '1.2.0' })
  })

  test('is done only when the kind can be listed', async () => {
    const { install, store, clock } = server()
    let refusals = 0
    const late: Store = {
      ...store,
      list: async (kind, options) => {
        if (clock.monotonic() < 5000 && ++refusals > 0) throw new StoreError('ServiceUnavailable', 'not yet')
        return store.list(kind, options)
      },
    }
    expect(await install('1.2.0', { store: late })).toEqual([{ name, outcome: 'created' }])
    expect(refusals).toBeGreaterThan(5)
  })

  test('says why a kind is not served', async () => {
    expect(await server({ type: 'NamesAccepted', status: 'False', message: '"nests" is already in use' }).install('1.2.0')).toMatchObject({
      code: 'CRD_NOT_SERVED',
      message: `${name} is not served: "nests" is already in use`,
    })
    expect(await server({ type: 'Odd' }).install('1.2.0')).toMatchObject({ message: `${name} is not served: not after 60 s` })
  })
})

test('versions are ordered as numbers, and what is not released comes before what is', () => {
  const sorted = ['0.9.0', '0.10.0-alpha', '0.10.0-beta', '0.10.0', '1.0.0', '1.2.0', '1.10.0']
  expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted)
  expect(compareVersions('1.2.0', '1.2.0')).toBe(0)
})
