import type { HatcherySettings } from '../settings.ts'
import type { vsphereKeys } from './keys.ts'
import type { Reading } from './reading.ts'
import type { Values } from './table.ts'

/** What no key says alone: limits that contradict each other, and settings without effect. */
export function checkTogether(keys: Values<typeof vsphereKeys>, settings: HatcherySettings, reading: Reading): void {
  checkLimits(settings, reading)
  checkStarvationGuard(settings, reading)
  checkNames(settings, reading)
  checkSides(settings, reading)
  checkAddressless(keys.commonConfiguration, reading)
  if (keys.countForeignVMs) {
    reading.warn(
      reading.at('countForeignVMs'),
      'every VM of the datacenter counts as a worker: as many as maxConcurrentProvisioning that are not in CDS stop all spawning',
      'leave it out unless the datacenter belongs to this hatchery alone',
    )
  }
}

function checkLimits({ provision }: HatcherySettings, reading: Reading): void {
  const { maxWorker } = provision
  if (maxWorker === 0) return
  for (const name of ['maxConcurrentProvisioning', 'maxConcurrentRegistering'] as const) {
    const value = provision[name] ?? 0
    if (value <= maxWorker) continue
    reading.problem(
      reading.at('commonConfiguration', 'provision', name),
      `is ${value}, more than maxWorker, which is ${maxWorker}`,
      `write ${maxWorker} or less, raise maxWorker, or set maxWorker to 0 for no limit`,
    )
  }
}

function checkStarvationGuard({ countSmallerFlavorToKeep: count, maxCpus, flavors }: HatcherySettings, reading: Reading): void {
  if (count === 0) return
  const found = reading.at('countSmallerFlavorToKeep')
  if (maxCpus === 0) reading.warn(found, 'has no effect: maxCpus is 0', 'set maxCpus to the vCPUs that the hatchery may use')
  else if (flavors.all.length < 2) reading.warn(found, 'has no effect: no flavor is smaller than another', 'add flavors')
}

function checkNames({ name, osArch }: HatcherySettings, reading: Reading): void {
  if (/[\n\r]/.test(name)) reading.problem(reading.at('commonConfiguration', 'name'), 'has more than one line', 'write it in one')
  for (const [index, each] of osArch.entries()) {
    if (/^[a-z0-9]+\/[a-z0-9_]+$/i.test(each)) continue
    reading.problem(reading.at('commonConfiguration', 'osArch', index), `is "${each}"`, 'write it as OS/ARCHITECTURE, such as linux/amd64')
  }
}

/** What is set for a sort of jobs that this hatchery has no token for. */
function checkSides({ api, defaultModelsV2, provisioning, provision }: HatcherySettings, reading: Reading): void {
  if (api.tokenV2 === undefined && defaultModelsV2.length > 0) {
    const fix = 'add commonConfiguration.api.tokenV2, or remove them'
    reading.warn(reading.at('defaultWorkerModelsV2'), 'is not used: V2 models cannot be read without tokenV2', fix)
  }
  if (api.tokenV1 === undefined && provisioning.some(({ version }) => version === 1)) {
    const fix = 'add commonConfiguration.api.token, or use modelVMWare'
    reading.warn(reading.at('workerProvisioning'), 'has entries with modelPath that nobody will use: there is no token for V1 jobs', fix)
  }
  if (api.tokenV1 === undefined && provision.region !== '') {
    const fix = 'grant the hatchery on the region in CDS'
    reading.warn(reading.at('commonConfiguration', 'provision', 'region'), 'is not used: the region of V2 jobs is that of the sign-in', fix)
  }
}

/** What is said of an address, but the address is not: then it is taken from elsewhere, together with what is known of it there. */
function checkAddressless({ cdn, provision }: Values<typeof vsphereKeys>['commonConfiguration'], reading: Reading): void {
  const { workerApiHttp, workerCdn } = provision
  const cases = [
    { at: ['cdn', 'tcp', 'enableTLS'], said: cdn.tcp.enableTLS, url: cdn.tcp.url },
    { at: ['provision', 'workerApiHttp', 'insecure'], said: workerApiHttp.insecure, url: workerApiHttp.url },
    { at: ['provision', 'workerCdn', 'tcp', 'enableTLS'], said: workerCdn.tcp.enableTLS, url: workerCdn.tcp.url },
  ]
  for (const { at, said, url } of cases) {
    if (said && url === undefined)
      reading.warn(reading.at('commonConfiguration', ...at), 'is not used: there is no url beside it', 'add it')
  }
}
