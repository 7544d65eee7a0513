import type { VsphereSettings } from '../../vsphere/index.ts'
import type { HatcherySettings } from '../settings.ts'

/** The hatchery's vCenter as the vSphere platform is told of it. */
export function vcenterSettings({ vsphere }: HatcherySettings): VsphereSettings {
  const { endpoint, user, password, datacenter, datastore, network, card, resourcePool, ca, thumbprint } = vsphere
  return Object.freeze({
    url: endpoint.includes('://') ? endpoint : `https://${endpoint}`,
    user,
    password,
    datacenter,
    card,
    ...(ca !== undefined && { trust: { ca } }),
    ...(thumbprint !== undefined && { trust: { thumbprint } }),
    ...(datastore !== undefined && { datastore }),
    ...(network !== undefined && { network }),
    ...(resourcePool !== undefined && { resourcePool }),
  })
}

/** The templates that the configuration names, each once. Those of worker models are not known before CDS was asked. */
export function templatesNamed({ provisioning, credentials, preStartScripts }: HatcherySettings): readonly string[] {
  const provisioned = provisioning.flatMap(({ version, model }) => (version === 2 ? [model] : []))
  const loggedInTo = credentials.flatMap(({ image }) => image ?? [])
  return [...new Set([...provisioned, ...loggedInTo, ...preStartScripts.keys()])]
}
