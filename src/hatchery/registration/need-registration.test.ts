import { expect, test } from 'vitest'
import { needsRegistration } from './need-registration.ts'
import { workerNote } from '../fleet/worker-note.ts'

const built = { note: workerNote({ model: true, workerModelPath: 'g/m', workerModelLastModified: '1700000000' }), isDoomed: false }
const plain = { group: 'g', name: 'm', needRegistration: false, userLastModified: 1_700_000_000 }

test.each([
  { name: 'there is no template', template: undefined, model: plain, needs: true },
  { name: 'nobody can read its note', template: { ...built, note: undefined }, model: plain, needs: true },
  {
    name: 'it is not one of a model',
    template: { ...built, note: workerNote({ workerModelLastModified: '1700000000' }) },
    model: plain,
    needs: true,
  },
  { name: 'the template is of the same time', template: built, model: plain, needs: false },
  { name: 'the model was changed since', template: built, model: { ...plain, userLastModified: 1_700_000_001 }, needs: true },
  { name: 'the template is that of a model in another group', template: built, model: { ...plain, group: 'other' }, needs: true },
  { name: 'CDS asks for it', template: built, model: { ...plain, needRegistration: true }, needs: true },
  {
    name: 'the template is about to be removed',
    template: { ...built, isDoomed: true },
    model: { ...plain, needRegistration: true },
    needs: false,
  },
])('a model needs registration: $needs, if $name', ({ template, model, needs }) => {
  expect(needsRegistration(model, template)).toBe(needs)
})
