import { expect, test } from 'vitest'
import { realChance, VirtualClock } from '../ports/index.ts'
import { allKinds, ConfigMap, Namespace } from '../kinds/index.ts'
import { memoryStore } from '../store/index.ts'
import { editObject } from './edit-object.ts'

const key = { namespace: 'default', name: 'egg' }

async function world() {
  const store = memoryStore({ kinds: allKinds, clock: new VirtualClock(), chance: realChance() })
  await store.create(Namespace, { metadata: { name: 'default' } })
  await store.create(ConfigMap, { metadata: key, data: { colour: 'white' } })
  const get = store.get.bind(store)
  /** Has somebody else write after each of the next so many reads. */
  const disturb = (times: number) => {
    let left = times
    store.get = async (kind, wanted) => {
      const read = await get(kind, wanted)
      if (left-- > 0) {
        const { data, ...latest } = await get(ConfigMap, key)
        await store.update(ConfigMap, { ...latest, data: { ...data, written: String(left) } })
      }
      return read
    }
  }
  return { store, disturb, data: async () => (await get(ConfigMap, key)).data }
}

const paint = (egg: ConfigMap): ConfigMap => ({ ...egg, data: { ...egg.data, colour: 'blue' } })

test('what somebody wrote in between is kept, and the change is made', async () => {
  const { store, disturb, data } = await world()
  disturb(2)
  await editObject(store, ConfigMap, key, paint)
  expect(await data()).toEqual({ colour: 'blue', written: '0' })
})

test('who never gets a turn is told', async () => {
  const { store, disturb, data } = await world()
  disturb(100)
  await expect(editObject(store, ConfigMap, key, paint)).rejects.toThrow('modified')
  expect(await data()).toMatchObject({ colour: 'white' })
})
