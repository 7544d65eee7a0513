import type { V2Model } from '../jobs/job.ts'
import { fieldsOf, textIn } from './reading.ts'

/** A worker model as code; undefined if there is none. */
export function readModelV2(value: unknown): V2Model | undefined {
  const model = fieldsOf(value)
  const name = textIn(model, 'name')
  if (name === '') return undefined
  const spec = fieldsOf(model['spec'])
  return {
    name,
    type: textIn(model, 'type'),
    osArch: textIn(model, 'osarch'),
    image: textIn(spec, 'image'),
    flavor: textIn(spec, 'flavor'),
    user: textIn(spec, 'username'),
    password: textIn(spec, 'password'),
  }
}
