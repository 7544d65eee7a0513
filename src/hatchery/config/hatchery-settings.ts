import { deepFreeze } from '../../store/index.ts'
import type { ApiSettings, HatcherySettings, HatcheryVsphereSettings, ProvisionSettings } from '../settings.ts'
import { apiSettings } from './api-settings.ts'
import { checkTogether } from './check-together.ts'
import { flavorSettings } from './flavor-settings.ts'
import { guestNetworks } from './guest-networks.ts'
import { vsphereKeys } from './keys.ts'
import { withMisplacedKeys } from './misplaced.ts'
import { defaultModels, guestCredentials, provisioningEntries } from './model-settings.ts'
import { Reading, type ReadingOptions } from './reading.ts'
import { rsaKey } from './rsa-key.ts'
import type { SettingProblem } from './setting-problem.ts'
import { table, type Values } from './table.ts'
import { hostUrl, thumbprint } from './trust-settings.ts'

/** What came of reading a configuration. */
export interface SettingsRead {
  /** Undefined if there is a problem. */
  readonly settings: HatcherySettings | undefined
  /** Everything that is wrong, at once. */
  readonly problems: readonly SettingProblem[]
  /** What works, but perhaps not as its writer thinks. */
  readonly warnings: readonly SettingProblem[]
}

type Keys = Values<typeof vsphereKeys>

const [second, minute] = [1000, 60_000]
const whole = table('', vsphereKeys)
const defaultInterval = 120

/**
 * Reads `[hatchery.vsphere]` as a CDS operator has it: names in any case, numbers as texts too, what a generated file leaves blank is
 * absent, and `CDS_HATCHERY_VSPHERE_…` variables win over the file.
 */
export async function hatcherySettings(
  given: Readonly<Record<string, unknown>>,
  options: Omit<ReadingOptions, 'at'> & Partial<Pick<ReadingOptions, 'at'>>,
): Promise<SettingsRead> {
  const reading = new Reading({ at: ['hatchery', 'vsphere'], ...options })
  const inProvision = Object.keys(vsphereKeys.commonConfiguration.page.properties?.['provision']?.properties ?? {})
  const placed = withMisplacedKeys(given, Object.keys(vsphereKeys), inProvision, reading)
  const keys = await whole.read({ value: placed, at: reading.at().at }, reading)
  const settings = settingsOf(keys, reading)
  checkTogether(keys, settings, reading)
  reading.warnOfUnknownVariables()
  const { problems, warnings } = reading
  return { settings: problems.length > 0 ? undefined : deepFreeze(settings), problems, warnings }
}

function settingsOf(keys: Keys, reading: Reading): HatcherySettings {
  const { commonConfiguration: common } = keys
  const api = apiSettings(common.api, reading)
  return {
    name: common.name,
    osArch: common.osArch,
    key: rsaKey(common.rsaPrivateKey, reading.at('commonConfiguration', 'rsaPrivateKey'), reading),
    http: { address: common.http.addr, port: common.http.port },
    url: (common.url ?? `http://localhost:${common.http.port}`).replace(/\/+$/, ''),
    api,
    cdn: { url: common.cdn.url, tcp: common.cdn.tcp.url, tcpTls: common.cdn.tcp.enableTLS },
    provision: provisionSettings(common.provision, api, reading),
    vsphere: vsphereSettings(keys, reading),
    networks: guestNetworks(keys, reading),
    workerTtl: keys.workerTTL * minute,
    workerRegistrationTtl: keys.workerRegistrationTTL * minute,
    provisioningInterval: (keys.workerProvisioningInterval || defaultInterval) * second,
    provisioningPoolSize: poolSize(keys),
    killAwolInterval: keys.killAwolServersInterval * second,
    finishedWorkerGracePeriod: keys.finishedWorkerGracePeriod * second,
    provisioning: provisioningEntries(keys, reading),
    credentials: guestCredentials(keys, reading),
    preStartScripts: new Map(
      keys.models.flatMap(({ values: { modelVMWare, preStartScript } }) =>
        modelVMWare === undefined || preStartScript === undefined ? [] : [[modelVMWare, preStartScript] as const],
      ),
    ),
    defaultModelsV2: defaultModels(keys, reading),
    maxCpus: keys.maxCpus,
    maxMemoryMB: keys.maxMemoryMB,
    flavors: flavorSettings(keys, reading),
    defaultFlavor: keys.defaultFlavor,
    countSmallerFlavorToKeep: keys.countSmallerFlavorToKeep,
    countForeignVms: keys.countForeignVMs,
  }
}

function vsphereSettings(keys: Keys, reading: Reading): HatcheryVsphereSettings {
  return {
    endpoint: hostUrl(keys.endpoint, reading.at('endpoint'), reading),
    user: keys.user,
    password: keys.password,
    datacenter: keys.datacenterString,
    datastore: keys.datastoreString,
    network: keys.networkString,
    card: keys.cardName,
    resourcePool: keys.resourcePoolString,
    ca: keys.ca,
    thumbprint: thumbprint(keys, reading.at(), reading),
  }
}

function provisionSettings(given: Keys['commonConfiguration']['provision'], api: ApiSettings, reading: Reading): ProvisionSettings {
  const { maxWorker, workerApiHttp, workerCdn, workerLogsOptions } = given
  // What nobody wrote does not contradict what somebody did.
  const usual = (most: number) => (maxWorker === 0 ? most : Math.min(most, maxWorker))
  const registering = given.maxConcurrentRegistering ?? usual(2)
  return {
    maxWorker,
    maxConcurrentProvisioning: given.maxConcurrentProvisioning ?? usual(10),
    maxConcurrentRegistering: registering < 0 ? undefined : registering,
    registerEvery: given.registerFrequency < 1 ? undefined : given.registerFrequency * second,
    region: given.region,
    ignoreJobWithNoRegion: given.ignoreJobWithNoRegion,
    maxAttempts: given.maxAttemptsNumberBeforeFailure < 0 ? undefined : given.maxAttemptsNumberBeforeFailure,
    pollV2Queue: !given.disableV2QueuePolling,
    environment: environmentOf(given.injectEnvVars, reading),
    worker: {
      apiUrl: (workerApiHttp.url ?? api.url).replace(/\/+$/, ''),
      // A generated file says false where nobody chose: it counts only beside an address of its own, as in the original.
      apiInsecure: workerApiHttp.url === undefined ? api.insecure : workerApiHttp.insecure,
      cdn: { url: workerCdn.url, tcp: workerCdn.tcp.url, tcpTls: workerCdn.tcp.url === undefined ? undefined : workerCdn.tcp.enableTLS },
      basedir: given.workerBasedir,
      log: workerLogsOptions,
    },
  }
}

/** Variables for workers. One that is no `NAME=value` is left out, as the original leaves it out, but not silently. */
function environmentOf(texts: readonly string[], reading: Reading): Readonly<Record<string, string>> {
  const variables: Record<string, string> = {}
  for (const [index, text] of texts.entries()) {
    const [, name, value] = /^([^=\s]+)=(.*)$/s.exec(text) ?? []
    if (name !== undefined && value !== undefined) variables[name] = value
    else {
      const at = reading.at('commonConfiguration', 'provision', 'injectEnvVars', index)
      reading.warn(at, 'is left out: it is no variable', 'write it as NAME=value')
    }
  }
  return variables
}

/** A generated file holds a 0 that nobody meant; it holds one for the interval too. */
function poolSize({ workerProvisioningPoolSize: size, workerProvisioningInterval: interval }: Keys): number {
  if (size === undefined || (size === 0 && interval === 0)) return 1
  return Math.max(0, size)
}
