import { z } from 'zod'
import { section } from './section.ts'
import { duration, path, secret } from './setting.ts'

const name = (meaning: string) => z.string().min(1).optional().describe(meaning)

/** The vCenter that VMs are made in. */
export const vsphereSection = section({
  name: 'vsphere',
  describe:
    'The vCenter that VMs are made in (docs/vsphere.md). All services that use the same vCenter as the same user share one session. ' +
    '`aviary vsphere doctor` checks that everything named here is there and allowed.',
  schema: z
    .strictObject({
      url: z
        .string()
        .regex(/^(https:\/\/)?[^@/\s]+(\/[^@\s]*)?$/, 'must be https://HOST, without user and password')
        .optional()
        .describe('The vCenter, `https://vcenter.example.org`. Without it the section is not used.'),
      user: name('Who signs in. Required with `url`.'),
      password: secret().optional().describe('Any characters. Required with `url`.'),
      ca: path().optional().describe('The authority (PEM) of the vCenter’s certificate, if it is not one that the system trusts.'),
      thumbprint: z
        .string()
        .regex(/^([0-9a-fA-F]{2}:?){31}[0-9a-fA-F]{2}$/, 'must be the 64 hexadecimal digits of a SHA-256 thumbprint')
        .optional()
        .describe('SHA-256 of the vCenter’s certificate: trust exactly this one, instead of `ca`.'),
      datacenter: name('The datacenter, by name or path. May be left out if there is only one.'),
      folder: name('The folder in which VMs are made, by name or path below the datacenter. Absent: the top one.'),
      resourcePool: name('The pool in which VMs run, by name or path. May be left out if there is only one, or one cluster.'),
      datastore: name('Where disks go. Absent: where the template’s are.'),
      network: name('The network of the first card. Absent: that of the template.'),
      card: z
        .enum(['e1000', 'e1000e', 'vmxnet2', 'vmxnet3', 'pcnet32', 'sriov'])
        .optional()
        .describe('The sort of the first card. Absent: that of the template, or `vmxnet3` if `network` names another network.'),
      templates: z.array(z.string().min(1)).prefault([]).describe('Templates that must be there; only `aviary vsphere doctor` reads this.'),
      cloneTimeout: duration({ min: '1s', max: '24h' }).prefault('30m').describe('A clone that takes longer is cancelled.'),
      taskTimeout: duration({ min: '1s', max: '24h' }).prefault('5m').describe('Any other task that takes longer is cancelled.'),
      limits: z
        .strictObject({
          operations: z
            .int()
            .min(1)
            .max(1000)
            .optional()
            .describe(
              'Operations at once on the whole vCenter. Absent: `perHost` for each host that VMs are on, at least 32 and at most 512.',
            ),
          perHost: z.int().min(1).max(1000).prefault(8).describe('Weight at once on one host. Most operations weigh 1.'),
          fullClone: z.int().min(1).max(1000).prefault(4).describe('What a clone weighs that copies its template’s disk.'),
          longestWait: duration({ min: '1s', max: '24h' }).prefault('15m').describe('Who has waited this long for a turn gives up.'),
        })
        .prefault({})
        .describe('How much is done at once; the rest waits its turn, one owner after the other.'),
    })
    .refine(({ url, user, password }) => url === undefined || (user !== undefined && password !== undefined), {
      error: 'needs user and password beside url',
    })
    .refine(({ ca, thumbprint }) => ca === undefined || thumbprint === undefined, {
      error: 'has both ca and thumbprint; give one: a thumbprint is trusted whoever signed the certificate',
    }),
})
