import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { operatorFile, testRsaKey } from '../testing/operator-file.ts'
import { readFile, settingsOf } from '../testing/read-operator-file.ts'
import { effectiveConfiguration, signInConfiguration } from './effective-configuration.ts'

const rich = {
  more: `resourcePoolString = "ci"\niprange = "10.0.0.0/28"\ngateway = "10.0.0.14"\ndns = "10.0.0.2,10.0.0.3"\nmaxCpus = 64\ndefaultFlavor = "small"
    workerProvisioningPoolSize = 0`,
  tables: `[[hatchery.vsphere.flavors]]\nname = "small"\ncpus = 2\nmemoryMB = 4096
    [[hatchery.vsphere.workerProvisioning]]\nmodelVMWare = "debian12"\nnumber = 3
    [[hatchery.vsphere.workerProvisioning]]\nmodelPath = "g/m"\nnumber = 1\nflavor = "small"
    [[hatchery.vsphere.guestCredentials]]\nmodelVMWare = "debian12"\nusername = "root"\npassword = "guest-secret"
    [[hatchery.vsphere.models]]\nmodelVMWare = "debian13"\nusername = "root"\npassword = "guest-secret-2"\npreStartScript = "script-secret"
    [[hatchery.vsphere.defaultWorkerModelsV2]]\nworkerModelV2 = "P/v/r/m"\nbinaries = ["git"]`,
  provision: `maxWorker = 0\ninjectEnvVars = ["KEY=env-secret"]\nmaxConcurrentRegistering = -1
    [hatchery.vsphere.commonConfiguration.provision.workerLogsOptions.graylog]\nhost = "g"\nextraValue = "graylog-secret"`,
}

const secrets = ['vc-secret', 'guest-secret', 'token-of-v', 'env-secret', 'graylog-secret', testRsaKey().slice(40, 80)]

test('what is shown is a file that means the same, every default filled in and secrets masked', async () => {
  const settings = await settingsOf(rich)
  const shown = effectiveConfiguration(settings)
  for (const secret of secrets) expect(shown).not.toContain(secret)
  expect(shown).toContain('workerTTL = 120')
  expect(shown).toContain('maxWorker = 0')
  expect(shown).toContain('password = "***"')

  // With secrets again in place of their masks it can be read.
  const environment = {
    CDS_HATCHERY_VSPHERE_PASSWORD: 'x',
    CDS_HATCHERY_VSPHERE_API_TOKEN: 'x',
    CDS_HATCHERY_VSPHERE_API_TOKENV2: 'x',
    CDS_HATCHERY_VSPHERE_RSAPRIVATEKEY: testRsaKey(),
    CDS_HATCHERY_VSPHERE_GUESTCREDENTIALS_0_PASSWORD: 'x',
    CDS_HATCHERY_VSPHERE_GUESTCREDENTIALS_1_PASSWORD: 'x',
  }
  const again = await readFile(shown, environment)
  expect(again.problems).toEqual([])
  expect(again.warnings).toEqual([])
  expect(effectiveConfiguration(again.settings!)).toBe(shown)
})

test('several networks are shown as such', async () => {
  const one = (n: number) =>
    `[[hatchery.vsphere.networks]]\niprange = "10.${n}.0.0/28"\ngateway = "10.${n}.0.1"\nsubnetMask = "255.255.255.0"\n`
  const shown = parse(effectiveConfiguration(await settingsOf({ tables: one(1) + one(2) })))
  expect(shown).toMatchObject({ hatchery: { vsphere: { networks: [{ gateway: '10.1.0.1' }, { gateway: '10.2.0.1' }] } } })
})

test('CDS is told the configuration without anything secret, with osArch where it looks for it', async () => {
  const { settings } = await readFile(operatorFile(rich), { CDS_HATCHERY_VSPHERE_OSARCH: 'linux/amd64,linux/arm64' })
  const told = signInConfiguration(settings!)
  expect(told).toMatchObject({
    osArch: ['linux/amd64', 'linux/arm64'],
    endpoint: 'vc.example',
    maxCpus: 64,
    commonConfiguration: { name: 'hv1', osArch: ['linux/amd64', 'linux/arm64'], api: { http: { url: 'http://127.0.0.1:8081' } } },
  })
  const text = JSON.stringify(told)
  for (const secret of [...secrets, 'script-secret', 'BEGIN', 'rsaPrivateKey', '"password"', '"token', 'injectEnvVars']) {
    expect(text).not.toContain(secret)
  }
})
