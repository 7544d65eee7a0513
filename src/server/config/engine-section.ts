import { z } from 'zod'
import { section } from './section.ts'
import { duration, path } from './setting.ts'

/** Where objects live. */
export const engineSection = section({
  name: 'engine',
  describe:
    'Where objects live. `embedded` keeps them in one SQLite file in the data folder and serves the Kubernetes API itself. `kubernetes` keeps ' +
    'them as custom resources in a Kubernetes cluster: several replicas may run, one of them leads.',
  schema: z.strictObject({
    kind: z.enum(['embedded', 'kubernetes']).prefault('embedded').describe('Which engine.'),
    kubeconfig: path()
      .optional()
      .describe('Only `kubernetes`: the kubeconfig of the cluster. Absent: KUBECONFIG, the service account inside a pod, ~/.kube/config.'),
    context: z.string().min(1).optional().describe('Only `kubernetes`: the context to use. Absent: the kubeconfig’s current one.'),
    qps: z.number().min(0).prefault(200).describe('Only `kubernetes`: requests a second at most, in the long run. 0 means no limit.'),
    burst: z.int().min(1).prefault(400).describe('Only `kubernetes`: requests at once at most, after a quiet time.'),
    leaderElection: z
      .strictObject({
        namespace: z.string().min(1).prefault('default').describe('The namespace of the Lease.'),
        name: z
          .string()
          .min(1)
          .prefault('aviary')
          .describe('The name of the Lease. Installations that share a cluster need different ones.'),
        leaseDuration: duration({ min: '1s', max: '10m' })
          .prefault('15s')
          .describe('How long a leader that has fallen silent is waited for.'),
        renewDeadline: duration({ min: '500ms', max: '10m' })
          .prefault('10s')
          .describe('How long a leader that cannot renew goes on before it stops itself.'),
        retryPeriod: duration({ min: '100ms', max: '1m' }).prefault('2s').describe('How often the Lease is renewed, or tried for.'),
      })
      .refine(times => times.renewDeadline < times.leaseDuration && times.retryPeriod < times.renewDeadline, {
        error: 'needs retryPeriod < renewDeadline < leaseDuration, else two replicas could lead at once',
      })
      .prefault({})
      .describe('Only `kubernetes`: which replica leads.'),
  }),
})
