import { z } from 'zod'
import { section } from './section.ts'

/** How much the program says about itself. */
export const logSection = section({
  name: 'log',
  describe: 'What the program writes to standard error, as lines of JSON.',
  schema: z.strictObject({
    level: z.enum(['debug', 'info', 'warn', 'error', 'silent']).prefault('info').describe('The least important line that is written.'),
  }),
})
