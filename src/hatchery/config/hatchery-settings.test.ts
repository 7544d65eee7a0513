import { generateKeyPairSync } from 'node:crypto'
import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import type { HatcherySettings } from '../settings.ts'
import { operatorFile, testRsaKey } from '../testing/operator-file.ts'
import { problemLine, problemsOf, readFile, settingsOf, warningsOf } from '../testing/read-operator-file.ts'
import { hatcherySettings } from './hatchery-settings.ts'

describe('defaults', () => {
  test('every documented default is in force in a file that says no more than it must', async () => {
    const settings = await settingsOf({})
    expect(settings).toMatchObject({
      name: 'hv1',
      osArch: ['linux/amd64'],
      http: { address: '', port: 8086 },
      url: 'http://127.0.0.1:8086',
      api: { url: 'http://127.0.0.1:8081', insecure: false, requestTimeout: 10_000, maxHeartbeatFailures: 10 },
      cdn: { url: undefined, tcp: undefined, tcpTls: false },
      networks: [],
      workerTtl: 120 * 60_000,
      workerRegistrationTtl: 10 * 60_000,
      provisioningInterval: 120_000,
      provisioningPoolSize: 1,
      killAwolInterval: 120_000,
      finishedWorkerGracePeriod: 180_000,
      provisioning: [],
      credentials: [],
      defaultModelsV2: [],
      maxCpus: 0,
      maxMemoryMB: 0,
      defaultFlavor: undefined,
      countSmallerFlavorToKeep: 0,
      countForeignVms: false,
    })
    expect(settings.provision).toMatchObject({
      maxWorker: 10,
      maxConcurrentProvisioning: 10,
      maxConcurrentRegistering: 2,
      registerEvery: 60_000,
      region: '',
      ignoreJobWithNoRegion: false,
      maxAttempts: 5,
      pollV2Queue: true,
      environment: {},
      worker: { apiUrl: 'http://127.0.0.1:8081', apiInsecure: false, basedir: '' },
    })
    expect(settings.vsphere).toMatchObject({ endpoint: 'vc.example', card: 'e1000', datacenter: 'DC0', datastore: undefined })
    expect(settings.vsphere.password.reveal()).toBe('vc-secret')
  })

  test('a file that the original generated and nobody filled in means the defaults', async () => {
    const tables = `workerTTL = 0
      workerRegistrationTTL = 0
      workerProvisioningInterval = 0
      workerProvisioningPoolSize = 0
      iprange = ""
      defaultFlavor = ""
      [[hatchery.vsphere.workerProvisioning]]
      modelPath = ""
      modelVMWare = ""
      number = 0
      [[hatchery.vsphere.guestCredentials]]
      modelPath = ""
      username = ""
      password = ""
      [[hatchery.vsphere.flavors]]
      name = ""
      cpus = 0`
    const settings = await settingsOf({ tables })
    expect(settings).toMatchObject({
      workerTtl: 120 * 60_000,
      workerRegistrationTtl: 10 * 60_000,
      provisioningInterval: 120_000,
      provisioningPoolSize: 1,
      provisioning: [],
      credentials: [],
      networks: [],
    })
    expect(settings.flavors.all).toEqual([])
  })

  test.each([
    ['', 1],
    ['workerProvisioningPoolSize = 4', 4],
    ['workerProvisioningPoolSize = 0', 0],
    ['workerProvisioningPoolSize = 0\nworkerProvisioningInterval = 60', 0],
    ['workerProvisioningPoolSize = 0\nworkerProvisioningInterval = 0', 1],
    ['workerProvisioningPoolSize = -1\nworkerProvisioningInterval = 0', 0],
  ])('the size of the provisioning pool: %j is %j', async (more, size) => {
    expect((await settingsOf({ more })).provisioningPoolSize).toBe(size)
  })

  test('the numbers that mean something special mean it', async () => {
    const special = `maxWorker = 0\nmaxConcurrentRegistering = -1\nmaxAttemptsNumberBeforeFailure = -1\nregisterFrequency = 0`
    expect((await settingsOf({ provision: special })).provision).toMatchObject({
      maxWorker: 0,
      maxConcurrentRegistering: undefined,
      maxAttempts: undefined,
      registerEvery: undefined,
    })
    const zero = 'maxConcurrentProvisioning = 0\nmaxConcurrentRegistering = 0\nmaxAttemptsNumberBeforeFailure = 0'
    expect((await settingsOf({ provision: zero })).provision).toMatchObject({
      maxConcurrentProvisioning: 10,
      maxConcurrentRegistering: 2,
      maxAttempts: 5,
    })
  })

  test.each([
    [1, 1, 1],
    [5, 5, 2],
    [20, 10, 2],
    [0, 10, 2],
  ])('of %d workers so many may start (%d) and register models (%d) at once, if nobody says how many', async (most, start, register) => {
    const { provision } = await settingsOf({ provision: `maxWorker = ${most}` })
    expect([provision.maxConcurrentProvisioning, provision.maxConcurrentRegistering]).toEqual([start, register])
  })
})

describe('a CDS operator’s file', () => {
  test('may write names in any case, and numbers and switches as texts', async () => {
    const settings = await settingsOf({
      more: 'WORKERTTL = "45"\nMaxCpus = "64"\nCountForeignVms = "true"\nmaxmemorymb = 131_072',
      provision: 'MAXWORKER = "20"\nignorejobwithnoregion = 1',
    })
    expect(settings).toMatchObject({ workerTtl: 45 * 60_000, maxCpus: 64, maxMemoryMB: 131_072, countForeignVms: true })
    expect(settings.provision).toMatchObject({ maxWorker: 20, ignoreJobWithNoRegion: true })
  })

  test('gives every key of both ages its effect', async () => {
    const settings = await settingsOf({
      more: `datastoreString = "ds"\nnetworkString = "VM Network"\ncardName = "VMXNET3"\nresourcePoolString = "ci"
        iprange = "10.0.0.0/28,10.0.1.64/26"\ngateway = "10.0.0.14"\ndns = "10.0.0.2"\nsubnetMask = "255.255.255.0"
        workerTTL = 60\nworkerRegistrationTTL = 5\nworkerProvisioningInterval = 30\nkillAwolServersInterval = 45
        finishedWorkerGracePeriod = 90\nmaxCpus = 64\nmaxMemoryMB = 131072\ndefaultFlavor = "Small"\ncountSmallerFlavorToKeep = 2`,
      tables: `[[hatchery.vsphere.flavors]]\nname = "small"\ncpus = 2\nmemoryMB = 4096
        [[hatchery.vsphere.flavors]]\nname = "large"\ncpus = 8\nmemoryMB = 16384\ndiskSizeGB = 100
        [[hatchery.vsphere.workerProvisioning]]\nmodelVMWare = "debian12"\nnumber = 3
        [[hatchery.vsphere.workerProvisioning]]\nmodelPath = "shared.infra/deb"\nnumber = 1\nflavor = "large"
        [[hatchery.vsphere.guestCredentials]]\nmodelPath = "shared.infra/deb"\nusername = "root"\npassword = "g1"
        [[hatchery.vsphere.models]]\nmodelVMWare = "debian12"\nusername = "admin"\npassword = "g2"\npreStartScript = "echo hi"
        [[hatchery.vsphere.defaultWorkerModelsV2]]\nworkerModelV2 = "PROJ/github/repo/debian@main"\nbinaries = ["docker", "git"]`,
      provision: `region = "eu"\nignoreJobWithNoRegion = true\nregisterFrequency = 30\ndisableV2QueuePolling = true
        injectEnvVars = ["A=1", "B=x=y"]\nworkerBasedir = "/w"
        [hatchery.vsphere.commonConfiguration.provision.workerApiHttp]\nurl = "https://api/"\ninsecure = true
        [hatchery.vsphere.commonConfiguration.provision.workerCdn]\nurl = "http://cdn"
        [hatchery.vsphere.commonConfiguration.provision.workerCdn.tcp]\nurl = "cdn:8090"\nenableTLS = true
        [hatchery.vsphere.commonConfiguration.provision.workerLogsOptions]\nlevel = "debug"
        [hatchery.vsphere.commonConfiguration.provision.workerLogsOptions.graylog]\nhost = "g"\nport = 12202\nextraKey = "k"
        [hatchery.vsphere.commonConfiguration.cdn]\nurl = "http://cdn-here"
        [hatchery.vsphere.commonConfiguration.cdn.tcp]\nurl = "cdn-here:8090"`,
    })
    expect(settings.vsphere).toMatchObject({ datastore: 'ds', network: 'VM Network', card: 'vmxnet3', resourcePool: 'ci' })
    expect(settings.networks.map(({ size, ranges }) => ({ size, ranges }))).toEqual([{ size: 77, ranges: '10.0.0.0/28,10.0.1.64/26' }])
    expect(settings.networks[0]?.settings('10.0.0.3')).toMatchObject({ gateway: '10.0.0.14', dns: ['10.0.0.2'] })
    expect(settings.provisioning).toEqual([
      { version: 2, model: 'debian12', number: 3, flavor: undefined },
      { version: 1, model: 'shared.infra/deb', number: 1, flavor: 'large' },
    ])
    expect(settings.credentials.map(({ path, image, user, password }) => [path, image, user, password.reveal()])).toEqual([
      [undefined, 'debian12', 'admin', 'g2'],
      ['shared.infra/deb', undefined, 'root', 'g1'],
    ])
    expect(settings.preStartScripts.get('debian12')).toBe('echo hi')
    expect(settings.defaultModelsV2).toEqual([{ model: 'PROJ/github/repo/debian@main', binaries: ['docker', 'git'] }])
    expect(settings.flavors.get('LARGE')).toEqual({ name: 'large', cpus: 8, memoryMB: 16_384, diskSizeGB: 100 })
    expect(settings.provision).toMatchObject({
      region: 'eu',
      ignoreJobWithNoRegion: true,
      registerEvery: 30_000,
      pollV2Queue: false,
      environment: { A: '1', B: 'x=y' },
      worker: {
        apiUrl: 'https://api',
        apiInsecure: true,
        cdn: { url: 'http://cdn', tcp: 'cdn:8090', tcpTls: true },
        basedir: '/w',
        log: { level: 'debug', graylog: { host: 'g', port: 12_202, extraKey: 'k' } },
      },
    })
    expect(settings.cdn).toEqual({ url: 'http://cdn-here', tcp: 'cdn-here:8090', tcpTls: false })
    expect(settings).toMatchObject({ workerTtl: 3_600_000, killAwolInterval: 45_000, finishedWorkerGracePeriod: 90_000 })
  })

  test.each([
    { own: 'url = ""\ninsecure = false', told: { apiUrl: 'https://api', apiInsecure: true } },
    { own: 'url = "https://inside"\ninsecure = false', told: { apiUrl: 'https://inside', apiInsecure: false } },
    { own: 'url = "https://inside"', told: { apiUrl: 'https://inside', apiInsecure: false } },
    { own: 'url = "https://inside"\ninsecure = true', told: { apiUrl: 'https://inside', apiInsecure: true } },
  ])('tells workers how to trust the address that they are told, not another: $own', async ({ own, told }) => {
    const provision = `[hatchery.vsphere.commonConfiguration.provision.workerApiHttp]\n${own}`
    const toml = operatorFile({ provision }).replace('url = "http://127.0.0.1:8081"', 'url = "https://api"\ninsecure = true')
    expect((await readFile(toml)).settings?.provision.worker).toMatchObject(told)
  })

  test.each([
    { own: 'url = ""\nenableTLS = false', cdn: { tcp: undefined, tcpTls: undefined } },
    { own: 'url = "cdn:1"\nenableTLS = false', cdn: { tcp: 'cdn:1', tcpTls: false } },
    { own: 'url = "cdn:1"', cdn: { tcp: 'cdn:1', tcpTls: false } },
    { own: 'url = "cdn:1"\nenableTLS = true', cdn: { tcp: 'cdn:1', tcpTls: true } },
  ])('tells workers of TLS only with the port of its own that they are told: $own', async ({ own, cdn }) => {
    const provision = `[hatchery.vsphere.commonConfiguration.provision.workerCdn.tcp]\n${own}`
    expect((await settingsOf({ provision })).provision.worker.cdn).toMatchObject(cdn)
  })

  test('may have flavors as tables by name', async () => {
    const tables =
      '[hatchery.vsphere.flavors.small]\ncpus = 2\nmemoryMB = 4096\n[hatchery.vsphere.flavors.Large]\ncpus = 8\nmemoryMB = 16384'
    expect((await settingsOf({ tables })).flavors.all).toEqual([
      { name: 'small', cpus: 2, memoryMB: 4096 },
      { name: 'Large', cpus: 8, memoryMB: 16_384 },
    ])
  })

  test('may have one table where there could be several', async () => {
    const tables = '[hatchery.vsphere.guestCredentials]\nmodelVMWare = "debian12"\nusername = "root"\npassword = "x"'
    expect((await settingsOf({ tables })).credentials).toMatchObject([{ image: 'debian12' }])
  })

  test('networks take the place of the older keys, in their order, each with its own gateway', async () => {
    const tables = `[[hatchery.vsphere.networks]]\niprange = "10.1.0.0/30"\ngateway = "10.1.0.254"\nsubnetMask = "255.255.255.0"
      [[hatchery.vsphere.networks]]\niprange = "10.2.0.0/29"\ngateway = "10.2.0.1"\nsubnetMask = "255.255.0.0"`
    const more = 'iprange = "10.0.0.0/28"\ngateway = "10.0.0.1"'
    const { networks } = await settingsOf({ more, tables })
    expect(networks.map(network => [network.name, network.size, network.settings('').gateway])).toEqual([
      ['10.1.0.0', 3, '10.1.0.254'],
      ['10.2.0.0', 6, '10.2.0.1'],
    ])
    expect(await warningsOf({ more, tables })).toEqual([
      'iprange: is not used: networks takes its place; remove it',
      'gateway: is not used: networks takes its place; remove it',
    ])
  })

  test('two networks of one subnet have different names', async () => {
    const one = (range: string) =>
      `[[hatchery.vsphere.networks]]\niprange = "${range}"\ngateway = "10.1.0.1"\nsubnetMask = "255.255.255.0"\n`
    const { networks } = await settingsOf({ tables: one('10.1.0.16/28') + one('10.1.0.32/28') })
    expect(networks.map(({ name }) => name)).toEqual(['10.1.0.0', '10.1.0.0#2'])
  })

  test('limits that stand below the provision header, as in an example of the specification, are used, and it is told to move them', async () => {
    const provision = 'maxWorker = 0\nmaxCpus = 64\nmaxMemoryMB = 131072\ndefaultFlavor = "small"\ncountSmallerFlavorToKeep = 2'
    const tables =
      '[hatchery.vsphere.flavors.small]\ncpus = 2\nmemoryMB = 4096\n[hatchery.vsphere.flavors.large]\ncpus = 8\nmemoryMB = 16384'
    expect(await settingsOf({ provision, tables })).toMatchObject({
      maxCpus: 64,
      maxMemoryMB: 131_072,
      defaultFlavor: 'small',
      countSmallerFlavorToKeep: 2,
      provision: { maxWorker: 0 },
    })
    const warnings = await warningsOf({ provision, tables })
    expect(warnings).toHaveLength(4)
    expect(warnings[0]).toBe(
      'commonConfiguration.provision.maxCpus: belongs to [hatchery.vsphere] and is read as if it stood there: TOML counts a key to the last [header] above it; move it up, before the first [header] below [hatchery.vsphere]',
    )
    const both = { provision: 'maxCpus = 64', more: 'maxCpus = 8' }
    expect((await settingsOf(both)).maxCpus).toBe(8)
    expect((await warningsOf(both))[0]).toMatch(/^commonConfiguration.provision.maxCpus: is ignored: \[hatchery.vsphere\] has its own/)
  })

  test('is never changed by being read, and cannot be changed after', async () => {
    const { hatchery } = parse(operatorFile({ provision: 'maxCpus = 4' })) as { hatchery: { vsphere: Record<string, unknown> } }
    const before = JSON.stringify(hatchery)
    const { settings } = await hatcherySettings(hatchery.vsphere, { environment: {} })
    expect(JSON.stringify(hatchery)).toBe(before)
    expect(Object.isFrozen(settings?.provision.worker.log)).toBe(true)
  })
})

describe('the environment wins over the file', () => {
  test.each([
    ['CDS_HATCHERY_VSPHERE_PASSWORD', 'from env', (s: HatcherySettings) => s.vsphere.password.reveal()],
    ['CDS_HATCHERY_VSPHERE_VSPHEREUSER', 'from env', (s: HatcherySettings) => s.vsphere.user],
    ['CDS_HATCHERY_VSPHERE_COMMONCONFIGURATION_API_TOKEN', 'from env', (s: HatcherySettings) => s.api.tokenV1?.reveal()],
    ['CDS_HATCHERY_VSPHERE_API_TOKENV2', 'from env', (s: HatcherySettings) => s.api.tokenV2?.reveal()],
    ['CDS_HATCHERY_VSPHERE_IPRANGE', '10.9.0.0/29', (s: HatcherySettings) => s.networks[0]?.ranges],
    ['CDS_HATCHERY_VSPHERE_PROVISION_REGION', 'eu', (s: HatcherySettings) => s.provision.region],
    ['CDS_HATCHERY_VSPHERE_GUESTCREDENTIALS_0_PASSWORD', 'from env', (s: HatcherySettings) => s.credentials[0]?.password.reveal()],
  ])('%s', async (name, value, look) => {
    const tables = '[[hatchery.vsphere.guestCredentials]]\nmodelVMWare = "debian12"\nusername = "root"'
    const credentials = `${tables}\npassword = "in the file"`
    expect(look(await settingsOf({ tables: credentials }, { [name]: value }))).toBe(value)
  })

  test('numbers and lists too, and an empty variable says nothing', async () => {
    const environment = {
      CDS_HATCHERY_VSPHERE_WORKERTTL: '7',
      CDS_HATCHERY_VSPHERE_OSARCH: 'linux/amd64,linux/arm64',
      CDS_HATCHERY_VSPHERE_USER: '',
    }
    expect(await settingsOf({}, environment)).toMatchObject({
      workerTtl: 7 * 60_000,
      osArch: ['linux/amd64', 'linux/arm64'],
      vsphere: { user: 'admin@vsphere.local' },
    })
  })

  test('a key may come from there with its line ends written out', async () => {
    const key = testRsaKey().replaceAll('\n', '\\n')
    expect((await settingsOf({}, { CDS_HATCHERY_VSPHERE_RSAPRIVATEKEY: key })).key.reveal()).toBe(testRsaKey())
  })

  test('what is wrong with it is said of the variable, and one that is misspelt is told', async () => {
    expect(await problemsOf({}, { CDS_HATCHERY_VSPHERE_WORKERTTL: 'soon' })).toEqual([
      'CDS_HATCHERY_VSPHERE_WORKERTTL: must be a whole number, not a text; write a number such as 120',
    ])
    expect(await warningsOf({}, { CDS_HATCHERY_VSPHERE_PASWORD: 'x' })).toEqual([
      'CDS_HATCHERY_VSPHERE_PASWORD: no setting is called so; did you mean CDS_HATCHERY_VSPHERE_PASSWORD?',
    ])
  })
})

describe('secrets', () => {
  test('may stand in files and variables', async () => {
    const toml = operatorFile()
      .replace('password = "vc-secret"', 'password = { file = "vc.pw" }')
      .replace('token = "token-of-v1"', 'token = { env = "V1" }')
    const { settings } = await readFile(toml, { V1: 'hush' }, { '/etc/vc.pw': 'from file\n' })
    expect([settings?.vsphere.password.reveal(), settings?.api.tokenV1?.reveal()]).toEqual(['from file', 'hush'])
  })

  test('that are not there, or only masks, are told', async () => {
    const toml = operatorFile()
      .replace('password = "vc-secret"', 'password = { file = "vc.pw" }')
      .replace('token = "token-of-v1"', 'token = { env = "V1" }')
      .replace('token-of-v2', '***')
    expect((await readFile(toml)).problems.map(problemLine)).toEqual([
      'password: there is no file /etc/vc.pw; correct the path; a relative one starts at the file',
      'commonConfiguration.api.token: the environment variable V1 is not set; set it, or name another',
      'commonConfiguration.api.tokenV2: is a mask, not a secret; write the secret itself; what is shown of a configuration has none',
    ])
  })

  test.each([
    ['garbage', 'is not PEM'],
    ['-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----', 'cannot be read: it is damaged or cut off'],
    ['-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', 'is public, not a private key'],
    ['-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----', 'is encrypted'],
    [generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), 'is a key for ed25519, not for RSA'],
  ])('a key that cannot sign is refused', async (pem, message) => {
    const [problem] = await problemsOf({}, { CDS_HATCHERY_VSPHERE_RSAPRIVATEKEY: pem })
    expect(problem).toContain(`CDS_HATCHERY_VSPHERE_RSAPRIVATEKEY: ${message}`)
  })

  test('a key may be PKCS#8', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    expect((await settingsOf({}, { CDS_HATCHERY_VSPHERE_RSAPRIVATEKEY: pem })).key.reveal()).toBe(pem)
  })
})
