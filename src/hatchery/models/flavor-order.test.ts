import { expect, test } from 'vitest'
import { aV1Model, aV2Model } from '../testing/gate-world.ts'
import { starterFromV1, starterFromV2 } from './starter-models.ts'

const requirement = (value: string) => [{ type: 'flavor', name: value, value }]

test.each([
  { runsOn: 'large', spec: 'small', usual: 'medium', takes: 'large' },
  { runsOn: '', spec: 'small', usual: 'medium', takes: 'small' },
  { runsOn: '', spec: '', usual: 'medium', takes: 'medium' },
  { runsOn: '', spec: '', usual: undefined, takes: '' },
])('a V2 job: runs-on "$runsOn", then the model’s "$spec", then the default $usual, makes "$takes"', ({ runsOn, spec, usual, takes }) => {
  expect(starterFromV2(aV2Model({ flavor: spec }), { runsOnFlavor: runsOn, defaultFlavor: usual }).flavor).toBe(takes)
})

test.each([
  { spec: 'small', required: 'large', usual: 'medium', takes: 'small' },
  { spec: '', required: 'large', usual: 'medium', takes: 'large' },
  { spec: '', required: '', usual: 'medium', takes: 'medium' },
])(
  'a V1 job on a V2 model: "$spec", then its requirement "$required", then the default, makes "$takes"',
  ({ spec, required, usual, takes }) => {
    const model = starterFromV2(aV2Model({ flavor: spec }), { requirements: requirement(required), defaultFlavor: usual })
    expect(model.flavor).toBe(takes)
  },
)

test.each([
  { own: 'small', required: 'large', usual: 'medium', takes: 'small' },
  { own: '', required: 'large', usual: 'medium', takes: 'large' },
  { own: '', required: '', usual: 'medium', takes: 'medium' },
  { own: '', required: '', usual: undefined, takes: '' },
])(
  'a V1 model: its field "$own", then the job’s requirement "$required", then the default $usual, makes "$takes"',
  ({ own, required, usual, takes }) => {
    const model = starterFromV1(aV1Model({ flavor: own }), { requirements: requirement(required), defaultFlavor: usual })
    expect(model.flavor).toBe(takes)
  },
)
