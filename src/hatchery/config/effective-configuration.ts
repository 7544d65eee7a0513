import { stringify } from 'smol-toml'
import type { Json } from '../../kinds/index.ts'
import type { AddressNetwork } from '../../platform/index.ts'
import type { HatcherySettings } from '../settings.ts'

/** What is not shown. */
const mask = '***'

type Plain = { readonly [name: string]: Plain | string | number | boolean | readonly (Plain | string)[] | undefined }

/** What is in force, as a file that could have said so: every default filled in, secrets as `***`. */
export function effectiveConfiguration(settings: HatcherySettings): string {
  return `${stringify({ hatchery: { vsphere: effectiveTable(settings) } }).trimEnd()}\n`
}

/** The same as the table `[hatchery.vsphere]`. */
export function effectiveTable(settings: HatcherySettings): Readonly<Record<string, unknown>> {
  return present(tableOf(settings))
}

/**
 * What CDS is told of the configuration at the sign-in: no secrets, nor anything that may hold one. `osArch` stands on top too, because
 * the API looks for it there when it decides which jobs to announce.
 */
export function signInConfiguration(settings: HatcherySettings): Json {
  const { guestCredentials: _guests, password: _password, ca: _ca, models, commonConfiguration, ...rest } = tableOf(settings) as Tables
  const { rsaPrivateKey: _key, api, provision, ...common } = commonConfiguration
  const { token: _v1, tokenV2: _v2, ...reachable } = api
  const { injectEnvVars: _variables, workerLogsOptions, ...limits } = provision
  return present({
    ...rest,
    osArch: settings.osArch,
    models: models.map(({ modelVMWare }) => ({ modelVMWare })),
    commonConfiguration: { ...common, api: reachable, provision: { ...limits, workerLogsOptions } },
  }) as Json
}

interface Tables extends Plain {
  readonly models: readonly Plain[]
  readonly commonConfiguration: Plain & { readonly api: Plain; readonly provision: Plain }
}

function tableOf(settings: HatcherySettings): Plain {
  const { vsphere, networks, flavors } = settings
  const seconds = (milliseconds: number) => milliseconds / 1000
  return {
    user: vsphere.user,
    endpoint: vsphere.endpoint,
    password: mask,
    datacenterString: vsphere.datacenter,
    datastoreString: vsphere.datastore,
    networkString: vsphere.network,
    cardName: vsphere.card,
    resourcePoolString: vsphere.resourcePool,
    ca: vsphere.ca,
    thumbprint: vsphere.thumbprint,
    workerTTL: seconds(settings.workerTtl) / 60,
    workerRegistrationTTL: seconds(settings.workerRegistrationTtl) / 60,
    workerProvisioningInterval: seconds(settings.provisioningInterval),
    workerProvisioningPoolSize: settings.provisioningPoolSize === 0 ? -1 : settings.provisioningPoolSize,
    killAwolServersInterval: seconds(settings.killAwolInterval),
    finishedWorkerGracePeriod: seconds(settings.finishedWorkerGracePeriod),
    maxCpus: settings.maxCpus,
    maxMemoryMB: settings.maxMemoryMB,
    defaultFlavor: settings.defaultFlavor,
    countSmallerFlavorToKeep: settings.countSmallerFlavorToKeep,
    countForeignVMs: settings.countForeignVms,
    dns: networks[0]?.settings('').dns.join(','),
    // One network is shown by the older keys, which also know one without a gateway.
    ...(networks.length === 1 ? networkOf(networks[0]!) : { networks: networks.map(networkOf) }),
    flavors: flavors.all.map(({ name, cpus, memoryMB, diskSizeGB }) => ({ name, cpus, memoryMB, diskSizeGB })),
    workerProvisioning: settings.provisioning.map(({ version, model, number, flavor }) => ({
      [version === 1 ? 'modelPath' : 'modelVMWare']: model,
      number,
      flavor,
    })),
    guestCredentials: settings.credentials.map(({ path, image, user }) => ({
      modelPath: path,
      modelVMWare: image,
      username: user,
      password: mask,
    })),
    models: Array.from(settings.preStartScripts, ([modelVMWare, preStartScript]) => ({ modelVMWare, preStartScript })),
    defaultWorkerModelsV2: settings.defaultModelsV2.map(({ model, binaries }) => ({ workerModelV2: model, binaries })),
    commonConfiguration: commonOf(settings),
  }
}

function networkOf(network: AddressNetwork): Plain {
  const { gateway, subnetMask } = network.settings('')
  return { iprange: network.ranges, gateway, subnetMask }
}

function commonOf({ name, osArch, http, url, api, cdn, provision }: HatcherySettings): Plain {
  const { worker } = provision
  return {
    name,
    osArch,
    rsaPrivateKey: mask,
    url,
    http: { addr: http.address, port: http.port },
    api: {
      token: api.tokenV1 && mask,
      tokenV2: api.tokenV2 && mask,
      requestTimeout: api.requestTimeout / 1000,
      maxHeartbeatFailures: api.maxHeartbeatFailures,
      http: { url: api.url, insecure: api.insecure, ca: api.ca, thumbprint: api.thumbprint },
    },
    cdn: { url: cdn.url, tcp: { url: cdn.tcp, enableTLS: cdn.tcpTls } },
    provision: {
      maxWorker: provision.maxWorker,
      maxConcurrentProvisioning: provision.maxConcurrentProvisioning,
      maxConcurrentRegistering: provision.maxConcurrentRegistering ?? -1,
      registerFrequency: (provision.registerEvery ?? 0) / 1000,
      region: provision.region,
      ignoreJobWithNoRegion: provision.ignoreJobWithNoRegion,
      maxAttemptsNumberBeforeFailure: provision.maxAttempts ?? -1,
      disableV2QueuePolling: !provision.pollV2Queue,
      injectEnvVars: Object.keys(provision.environment).map(variable => `${variable}=${mask}`),
      workerBasedir: worker.basedir,
      workerApiHttp: { url: worker.apiUrl, insecure: worker.apiInsecure },
      workerCdn: { url: worker.cdn.url, tcp: { url: worker.cdn.tcp, enableTLS: worker.cdn.tcpTls } },
      workerLogsOptions: {
        level: worker.log.level,
        graylog: { ...worker.log.graylog, extraValue: worker.log.graylog.extraValue === '' ? '' : mask },
        syslog: worker.log.syslog,
      },
    },
  }
}

/** The same without what is not there. */
function present(table: Plain): Readonly<Record<string, unknown>> {
  const result: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(table)) {
    if (value === undefined) continue
    if (typeof value !== 'object') result[name] = value
    else if (!isList(value)) {
      const inner = present(value)
      if (Object.keys(inner).length > 0) result[name] = inner
    } else if (value.length > 0) result[name] = value.map(each => (typeof each === 'string' ? each : present(each)))
  }
  return result
}

function isList(value: Plain | readonly (Plain | string)[]): value is readonly (Plain | string)[] {
  return Array.isArray(value)
}
