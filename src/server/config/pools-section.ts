import { z } from 'zod'
import { section } from './section.ts'
import { duration } from './setting.ts'

/** Pools of clusters that are ready to be claimed. */
export const poolsSection = section({
  name: 'pools',
  describe: 'Pools of clusters that are ready to be claimed (docs/pools.md). In the demo they run with a simulated installer.',
  schema: z
    .strictObject({
      enabled: z.boolean().prefault(false).describe('Whether this program keeps pools.'),
      checkDns: z.boolean().prefault(false).describe('Whether the DNS names of an inventory’s entry must resolve before it is used.'),
      installer: z
        .strictObject({
          kind: z.enum(['hook', 'simulated']).optional().describe('What makes clusters. Required if pools are enabled.'),
          command: z.array(z.string().min(1)).min(1).optional().describe('Only `hook`: the command, with its first arguments.'),
          url: z
            .url({ protocol: /^https?$/ })
            .optional()
            .describe('Only `hook`: the endpoint, instead of a command.'),
          timeout: duration({ min: '1s', max: '24h' })
            .prefault('3h')
            .describe('Only `hook` with a command: how long an installation or a removal may take.'),
          canHibernate: z.boolean().prefault(false).describe('Only `hook` with a command: whether the command knows `power`.'),
          installSeconds: z.number().min(0).prefault(60).describe('Only `simulated`: how long an installation takes.'),
          deprovisionSeconds: z.number().min(0).prefault(20).describe('Only `simulated`: how long a removal takes.'),
          powerSeconds: z.number().min(0).prefault(15).describe('Only `simulated`: how long a start or a stop takes.'),
          failEvery: z.int().min(0).prefault(0).describe('Only `simulated`: every so-manieth attempt fails; 0 means none.'),
        })
        .refine(({ kind, command, url }) => kind !== 'hook' || (command === undefined) !== (url === undefined), {
          error: 'a hook needs either command or url',
        })
        .prefault({})
        .describe('What makes clusters.'),
    })
    .refine(({ enabled, installer }) => !enabled || installer.kind !== undefined, {
      error: 'needs pools.installer.kind, because only you know what makes your clusters',
    }),
})
