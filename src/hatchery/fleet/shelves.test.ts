import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GateWorld } from '../testing/gate-world.ts'

const change = fc.record({
  id: fc.nat({ max: 8 }),
  kind: fc.constantFrom('provision', 'provision', 'worker', 'gone', 'foreign'),
  image: fc.constantFrom('debian12', 'rocky9'),
  flavor: fc.constantFrom('', 'small', 'Large'),
  created: fc.nat({ max: 3 }),
  power: fc.constantFrom('on', 'off', 'off'),
})

test('whatever becomes of VMs, those that stand ready are found, by flavor and by age, as if all were looked at', () =>
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), fc.nat({ max: 30 }), (changes, askAt) => {
      const world = new GateWorld()
      for (const [step, { id, kind, image, flavor, created, power }] of changes.entries()) {
        const given = { id: `vm-${id}`, power } as const
        const note = { flavor, created: created * 1_000 }
        if (kind === 'gone') world.inventory.drop(given.id)
        else if (kind === 'provision') world.provision(`provision-v2-${id}`, image, given, note)
        else if (kind === 'worker') world.vm({ ...given, name: `worker-${id}`, note: { workerName: `worker-${id}`, jobId: '1' } })
        else world.provision(`provision-v2-${id}`, image, given, { ...note, hatcheryName: 'other' })
        // From some moment on it is asked all the time, so that what is kept up with changes is put to the test.
        if (step < askAt) continue
        for (const model of ['debian12', 'rocky9']) {
          const byAge = world.fleet
            .provisions(2, model)
            .filter(each => world.fleet.isReady(each))
            .toSorted((one, other) => (one.note.created ?? 0) - (other.note.created ?? 0) || (one.vm.name < other.vm.name ? -1 : 1))
          expect([...world.fleet.ready(2, model)]).toEqual(byAge)
          for (const wanted of ['', 'SMALL', 'large', 'huge']) {
            const ofFlavor = byAge.filter(each => each.note.flavor.toLowerCase() === wanted.toLowerCase())
            expect([...world.fleet.ready(2, model, wanted)]).toEqual(ofFlavor)
          }
        }
      }
    }),
    { numRuns: 100 },
  ))
