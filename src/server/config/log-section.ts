import { z } from 'zod'
import { section } from './section.ts'
import { unused } from './setting.ts'

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const
type Level = (typeof levels)[number]

/** How CDS calls them. */
const cdsLevels: Readonly<Record<string, Level>> = {
  trace: 'debug',
  notice: 'info',
  warning: 'warn',
  critical: 'error',
  fatal: 'error',
  panic: 'error',
}

const level = z
  .codec(z.unknown(), z.enum(levels), {
    decode: (given, context) => {
      const word = typeof given === 'string' ? given.toLowerCase() : ''
      const known = cdsLevels[word] ?? levels.find(each => each === word)
      if (known !== undefined) return known
      context.issues.push({ code: 'invalid_value', values: [...levels], input: given })
      return z.NEVER
    },
    encode: value => value,
  })
  .meta({ enum: levels })

/** How much the program says about itself. */
export const logSection = section({
  name: 'log',
  describe: 'What the program writes to standard error. The `[log]` section of a CDS operator’s file is accepted too.',
  schema: z.strictObject({
    level: level
      .prefault('info')
      .describe('The least important line that is written. The words of CDS (`warning`, `notice`, `critical` …) are understood.'),
    format: z
      .enum(['auto', 'text', 'json', 'discard'])
      .prefault('auto')
      .describe('The form of a line: for people, or JSON for what collects them; `discard` writes none. By itself: text at a terminal.'),
    textFields: unused('every line has all its fields'),
    skipTextFields: unused('every line has all its fields'),
    graylog: unused('lines go to standard error; let what collects it send them to Graylog'),
    syslog: unused('lines go to standard error; let what collects it send them to syslog'),
  }),
})
