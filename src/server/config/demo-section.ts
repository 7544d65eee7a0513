import { z } from 'zod'
import { section } from './section.ts'
import { duration } from './setting.ts'

/** Something alive to look at before there is a fleet. */
export const demoSection = section({
  name: 'demo',
  describe:
    'Something alive to look at before there is a fleet: a few nests in the namespace `default` and the controller that hatches their eggs.',
  schema: z.strictObject({
    enabled: z.boolean().prefault(false).describe('Whether the demo runs. Without a configuration file it does.'),
    pace: duration({ min: '1s', max: '1h' }).prefault('20s').describe('How long each phase of a nest takes.'),
  }),
})
