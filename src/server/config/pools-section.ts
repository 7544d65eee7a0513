import { z } from 'zod'
import { section } from './section.ts'
import { duration, path, secret } from './setting.ts'

/** What makes clusters. */
export const installerSchema = z
  .strictObject({
    kind: z.enum(['hook', 'simulated']).describe('What makes clusters: a program of yours, or nothing but this program’s memory.'),
    command: z.array(z.string().min(1)).min(1).optional().describe('Only `hook`: the command, with its first arguments.'),
    environment: z
      .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable'))
      .prefault(['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'])
      .describe('Only `hook` with a command: the variables of this program’s environment that the command gets, and no others.'),
    url: z
      .string()
      .regex(/^(https:\/\/[^/@\s]|http:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/])[^@\s]*$/, 'must be a URL that begins with https://')
      .optional()
      .describe('Only `hook`: the endpoint, instead of a command. Requests carry credentials, so plain HTTP goes to this machine only.'),
    token: secret().optional().describe('Only `hook` with a url: sent as a bearer token, so that the endpoint knows who asks.'),
    ca: path()
      .optional()
      .describe('Only `hook` with a url: the authority (PEM) of its certificate, if it is not one that the system trusts.'),
    timeout: duration({ min: '1s', max: '24h' })
      .prefault('3h')
      .describe('Only `hook`: how long an installation may take, and a removal by a command.'),
    canHibernate: z.boolean().prefault(false).describe('Only `hook` with a command: whether the command knows `power`.'),
    installSeconds: z.number().min(0).prefault(60).describe('Only `simulated`: how long an installation takes.'),
    deprovisionSeconds: z.number().min(0).prefault(20).describe('Only `simulated`: how long a removal takes.'),
    powerSeconds: z.number().min(0).prefault(15).describe('Only `simulated`: how long a start or a stop takes.'),
    failEvery: z.int().min(0).prefault(0).describe('Only `simulated`: every so-manieth attempt fails; 0 means none.'),
  })
  .refine(({ kind, command, url }) => kind !== 'hook' || (command === undefined) !== (url === undefined), {
    error: 'a hook needs either command or url',
  })

/** Pools of clusters that are ready to be claimed. */
export const poolsSection = section({
  name: 'pools',
  describe:
    'Pools of clusters that are ready to be claimed (docs/pools.md). They are kept if there is an installer. In the demo they run with a simulated one.',
  schema: z
    .strictObject({
      enabled: z.boolean().optional().describe('Whether this program keeps pools. By default it does if `[pools.installer]` is there.'),
      checkDns: z.boolean().prefault(false).describe('Whether the DNS names of an inventory’s entry must resolve before it is used.'),
      installer: installerSchema.optional().describe('What makes clusters.'),
    })
    .refine(({ enabled, checkDns, installer }) => installer !== undefined || !(enabled === true || checkDns), {
      error: 'needs [pools.installer] with its kind, because only you know what makes your clusters',
    }),
})
