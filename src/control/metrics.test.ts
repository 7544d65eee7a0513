import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { nestController } from './testing/nest-controller.ts'
import { makeWorld } from './testing/world.ts'

test('the documented table names every metric of a controller, and each is there', async () => {
  const world = await makeWorld()
  await world.createNest('a')
  const running = world.start(nestController)
  await world.settle()
  const shown = [...(await world.metrics.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`)
  const source = readFileSync(new URL('metrics.ts', import.meta.url), 'utf8')
  const documented = [...source.matchAll(/^ \* \| `(aviary_\w+)` \| (\w+) \|/gm)].map(([, name, type]) => `${name} ${type}`)
  expect(shown.toSorted()).toEqual(documented.toSorted())
  await running.stop()
})

test('a controller that has stopped shows no gauges, and one that starts again shows its own', async () => {
  const world = await makeWorld()
  const gauge = 'aviary_controller_queue_delayed{controller="nest"}'
  await world.createNest('a')
  const first = world.start(nestController)
  await world.settle()
  expect(await world.metrics.text()).toContain(`${gauge} 1`)
  await first.stop()
  expect(await world.metrics.text()).not.toContain(gauge)
  await world.createNest('b')
  const second = world.start(nestController)
  await world.settle()
  expect(await world.metrics.text()).toContain(`${gauge} 2`)
  await second.stop()
})
