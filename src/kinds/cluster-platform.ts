import * as z from 'zod'
import type { Rule } from './kind.ts'
import type { Resource } from './resource.ts'

/** The name of another object, in the namespace that the field's description says. */
export function reference(what: string) {
  return z.object({ name: z.string().min(1).max(253).describe('Its name.') }).describe(what)
}

const credentials = () => reference('The Secret with the credentials of the platform.')
const region = () => z.string().min(1).max(256).describe('The region.')

/** Where clusters are made. What an installer wants to know beyond the fields here is kept as it is. */
export const clusterPlatform = z
  .object({
    vsphere: z
      .looseObject({
        credentialsSecretRef: credentials(),
        certificatesSecretRef: reference('The Secret whose key .cacert holds the vCenters’ certificate authorities.'),
        vCenter: z.string().max(256).optional().describe('The vCenter, in the older form without infrastructure.'),
        infrastructure: z
          .looseObject({
            vcenters: z
              .array(
                z.looseObject({
                  server: z.string().min(1).max(255).describe('Its host name.'),
                  password: z.string().max(0).optional().describe('Must be empty: passwords belong into the Secret.'),
                }),
              )
              .max(3)
              .optional()
              .describe('The vCenters.'),
            password: z.string().max(0).optional().describe('Must be empty: passwords belong into the Secret.'),
          })
          .optional()
          .describe('vCenters, failure domains and addresses, as the installer of OpenShift takes them.'),
      })
      .optional()
      .describe('VMware vSphere.'),
    openstack: z
      .looseObject({
        credentialsSecretRef: credentials(),
        certificatesSecretRef: reference('The Secret with certificate authorities.').optional(),
        cloud: z.string().min(1).max(256).describe('The cloud of clouds.yaml.'),
      })
      .optional()
      .describe('OpenStack.'),
    aws: z.looseObject({ credentialsSecretRef: credentials().optional(), region: region() }).optional().describe('Amazon Web Services.'),
    azure: z.looseObject({ credentialsSecretRef: credentials(), region: region() }).optional().describe('Microsoft Azure.'),
    gcp: z.looseObject({ credentialsSecretRef: credentials(), region: region() }).optional().describe('Google Cloud.'),
    alibabacloud: z.looseObject({}).optional().describe('Alibaba Cloud.'),
    ovirt: z.looseObject({}).optional().describe('oVirt.'),
    ibmcloud: z.looseObject({}).optional().describe('IBM Cloud.'),
    nutanix: z
      .looseObject({
        credentialsSecretRef: credentials(),
        prismCentral: z
          .looseObject({
            address: z.string().min(1).max(253).describe('Its host name or address.'),
            port: z.int32().min(1).max(65_535).describe('Its port.'),
          })
          .describe('The Prism Central.'),
      })
      .optional()
      .describe('Nutanix.'),
    baremetal: z.looseObject({}).optional().describe('Bare metal.'),
    agentBareMetal: z.looseObject({}).optional().describe('Bare metal by agents.'),
    none: z.looseObject({}).optional().describe('No platform: the installer knows where.'),
  })
  .describe('Where clusters are made: exactly one member.')

/** The platforms that a cluster can be made on. */
const clusterPlatforms = Object.keys(clusterPlatform.shape)

interface OnPlatform extends Resource {
  readonly spec: { readonly platform: { readonly [name: string]: unknown; readonly vsphere?: VSphere } }
}
interface VSphere {
  readonly vCenter?: string
  readonly infrastructure?: { readonly vcenters?: readonly unknown[] }
}

/** What the schema of a platform cannot say. */
export const platformRules: readonly Rule<OnPlatform>[] = [
  {
    path: 'spec.platform',
    message: 'exactly one platform must be given',
    fix: `give one of ${clusterPlatforms.join(', ')}`,
    holds: ({ spec: { platform } }) => clusterPlatforms.filter(name => platform[name] !== undefined).length === 1,
    cel: { at: 'spec.platform', expression: `[${clusterPlatforms.map(name => `has(self.${name})`).join(', ')}].filter(x, x).size() == 1` },
  },
  {
    path: 'spec.platform.vsphere.infrastructure.vcenters',
    message: 'at least one vCenter must be given',
    fix: 'list the vCenters in infrastructure.vcenters',
    holds: ({ spec: { platform } }) =>
      platform.vsphere === undefined ||
      (platform.vsphere.vCenter ?? '') !== '' ||
      (platform.vsphere.infrastructure?.vcenters ?? []).length > 0,
  },
]
