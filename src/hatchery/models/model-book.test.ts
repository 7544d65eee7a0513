import { describe, expect, test } from 'vitest'
import { aV1Model, aV2Model, GateWorld } from '../testing/gate-world.ts'

const reference = 'P/vcs/owner/repo/debian'

describe('V1 models', () => {
  test('are read once for all who need them within 10 s', async () => {
    const world = new GateWorld()
    world.v1Models.push(aV1Model())
    await Promise.all([world.models.v1(), world.models.v1(), world.models.v1ByPath('shared.infra/debian-v1')])
    await world.clock.advance(9_000)
    await world.models.v1()
    expect(world.calls).toEqual(['v1.models'])
    await world.clock.advance(1_000)
    await world.models.v1()
    expect(world.calls).toEqual(['v1.models', 'v1.models'])
  })

  test('of a while ago are better than none; of long ago they are not', async () => {
    const world = new GateWorld()
    world.v1Models.push(aV1Model())
    await world.models.v1()
    world.failing.add('v1.models')
    await world.clock.advance(60_000)
    expect(await world.models.v1()).toHaveLength(1)
    await world.clock.advance(600_000)
    await expect(world.models.v1()).rejects.toThrow('v1.models fails')
  })

  test('are none without a token of V1, and nobody is asked', async () => {
    const world = new GateWorld({ tokens: [2] })
    expect(await world.models.v1()).toEqual([])
    expect(world.calls).toEqual([])
  })
})

describe('V2 models', () => {
  test('are read once for all who name them within 10 s, and what is not there is not asked for again', async () => {
    const world = new GateWorld()
    world.v2Models.set(reference, aV2Model({}))
    const found = await Promise.all([reference, reference, 'P/vcs/owner/repo/none'].map(each => world.models.v2(each)))
    await world.models.v2('P/vcs/owner/repo/none')
    expect(found.map(each => each?.name)).toEqual(['debian', 'debian', undefined])
    expect(world.calls).toEqual([`v2.model ${reference}`, 'v2.model P/vcs/owner/repo/none'])
  })

  test('that cannot be read fail, and the next who asks tries again', async () => {
    const world = new GateWorld()
    world.v2Models.set(reference, aV2Model({}))
    world.failing.add('v2.model')
    await expect(world.models.v2(reference)).rejects.toThrow('v2.model fails')
    world.failing.clear()
    expect(await world.models.v2(reference)).toBeDefined()
  })

  test('are none without a token of V2', async () => {
    const world = new GateWorld({ tokens: [1] })
    expect([world.models.knowsV2, await world.models.v2(reference)]).toEqual([false, undefined])
  })
})
