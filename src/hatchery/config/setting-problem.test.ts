import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { operatorFile } from '../testing/operator-file.ts'
import { problemLine, problemsOf, readFile, warningsOf } from '../testing/read-operator-file.ts'
import { hatcherySettings } from './hatchery-settings.ts'
import { nameOf } from './reading.ts'

describe('what is wrong is said with its place, the rule and the fix', () => {
  test('all at once, in a file that holds nothing', async () => {
    const { problems } = await hatcherySettings({}, { environment: {} })
    expect(problems.map(problem => `${nameOf(problem)}: ${problem.message}`)).toEqual([
      'hatchery.vsphere.user: is missing',
      'hatchery.vsphere.endpoint: is missing',
      'hatchery.vsphere.password: is missing',
      'hatchery.vsphere.datacenterString: is missing',
      'hatchery.vsphere.commonConfiguration.name: is missing',
      'hatchery.vsphere.commonConfiguration.rsaPrivateKey: is missing',
      'hatchery.vsphere.commonConfiguration.api.http.url: is missing',
      'hatchery.vsphere.commonConfiguration.api: has no token',
    ])
    expect(problems.every(({ fix }) => fix !== undefined && fix !== '')).toBe(true)
    expect(problems[0]?.fix).toBe('add it: the account in vCenter.')
  })

  test('limits above maxWorker are refused if there is one, and only then', async () => {
    expect(await problemsOf({ provision: 'maxWorker = 1\nmaxConcurrentProvisioning = 10\nmaxConcurrentRegistering = 2' })).toEqual([
      'commonConfiguration.provision.maxConcurrentProvisioning: is 10, more than maxWorker, which is 1; write 1 or less, raise maxWorker, or set maxWorker to 0 for no limit',
      'commonConfiguration.provision.maxConcurrentRegistering: is 2, more than maxWorker, which is 1; write 1 or less, raise maxWorker, or set maxWorker to 0 for no limit',
    ])
    expect(await problemsOf({ provision: 'maxWorker = 10' })).toEqual([])
    expect(await problemsOf({ provision: 'maxWorker = 0\nmaxConcurrentProvisioning = 50' })).toEqual([])
    expect(await problemsOf({ provision: 'maxWorker = 1\nmaxConcurrentProvisioning = 1\nmaxConcurrentRegistering = -1' })).toEqual([])
  })

  test.each([
    [{ more: 'maxCpu = 4' }, 'maxCpu: there is no such key; did you mean "maxCpus"?'],
    [{ provision: 'maxWorkers = 4' }, 'commonConfiguration.provision.maxWorkers: there is no such key; did you mean "maxWorker"?'],
    [{ more: 'user2 = "x"\nUSER = "y"' }, 'USER: is there twice, as user too; remove one: upper and lower case do not count'],
    [{ more: 'cardName = "rtl8139"' }, 'cardName: is "rtl8139"; write one of e1000, e1000e, vmxnet2, vmxnet3, pcnet32, sriov'],
    [{ more: 'workerTTL = -5' }, 'workerTTL: is -5; write a number from 0 to 527040'],
    [{ more: 'maxMemoryMB = "128GB"' }, 'maxMemoryMB: must be a whole number, not a text; write a number, without a unit'],
    [{ more: 'workerTTL = 1.5' }, 'workerTTL: must be a whole number, not 1.5; write a number such as 120'],
    [
      { more: 'iprange = "10.0.0.0-9"' },
      'iprange: "10.0.0.0-9" is not a block of addresses; write blocks as 10.0.0.0/28, several with commas between them',
    ],
    [{ more: 'iprange = "10.0.0.0/28"\ngateway = "x"' }, 'gateway: "x" is not an IPv4 address; write it as 10.0.0.1'],
    [
      { more: 'defaultFlavor = "small"' },
      'defaultFlavor: there is no flavor "small"; add [[hatchery.vsphere.flavors]] with name = "small"',
    ],
    [{ more: 'thumbprint = "AA:BB"' }, /^thumbprint: does not have 64 hexadecimal digits; give the SHA-256 one/],
    [{ more: `thumbprint = "${'ab'.repeat(20)}"` }, /^thumbprint: is a SHA-1 thumbprint/],
    [
      { tables: '[[hatchery.vsphere.flavors]]\nname = "a"\ncpus = 2' },
      'flavors[0].memoryMB: must be 1 or more; say how much a VM of flavor "a" gets',
    ],
    [
      { tables: '[hatchery.vsphere.flavors.a]\ncpus = 2\nmemoryMB = 1\n[hatchery.vsphere.flavors.A]\ncpus = 2\nmemoryMB = 1' },
      'flavors.A.name: "A" is there twice; upper and lower case do not count: rename one',
    ],
    [
      { tables: '[[hatchery.vsphere.workerProvisioning]]\nnumber = 3' },
      'workerProvisioning[0]: names no model; add modelVMWare (a template, V2) or modelPath (group/name, V1)',
    ],
    [
      { tables: '[[hatchery.vsphere.workerProvisioning]]\nmodelVMWare = "d"\nnumber = 3\nflavor = "big"' },
      'workerProvisioning[0].flavor: there is no flavor "big"; add [[hatchery.vsphere.flavors]] with name = "big"',
    ],
    [
      { tables: '[[hatchery.vsphere.guestCredentials]]\nmodelVMWare = "d"\nusername = "root"' },
      'guestCredentials[0].password: is missing; nobody can log in without both',
    ],
    [
      { tables: '[[hatchery.vsphere.guestCredentials]]\nmodelPath = "deb"\nusername = "root"\npassword = "x"' },
      'guestCredentials[0].modelPath: is "deb"; write it as group/name, such as shared.infra/debian12',
    ],
    [
      { tables: '[[hatchery.vsphere.defaultWorkerModelsV2]]\nworkerModelV2 = "debian"' },
      'defaultWorkerModelsV2[0].workerModelV2: is "debian"; write it as PROJECT/VCS/REPOSITORY/MODEL, with @BRANCH if it is not master',
    ],
    [{ tables: '[[hatchery.vsphere.networks]]\niprange = "10.0.0.0/28"\ngateway = "10.0.0.1"' }, /^networks\[0\].subnetMask: is missing/],
    [
      {
        tables:
          '[[hatchery.vsphere.networks]]\niprange = "10.0.0.0/24"\ngateway = "10.0.0.1"\nsubnetMask = "255.255.255.0"\n[[hatchery.vsphere.networks]]\niprange = "10.0.0.64/28"\ngateway = "10.0.0.1"\nsubnetMask = "255.255.255.0"',
      },
      'networks[1].iprange: overlaps with "10.0.0.0/24"; name each address in one network only',
    ],
    [{ more: 'ca = "ca.pem"' }, 'ca: there is no file /etc/ca.pem; correct the path; a relative one starts at the file'],
  ])('%j', async (parts, expected) => {
    const problems = await problemsOf(parts)
    if (typeof expected === 'string') expect(problems).toContain(expected)
    else expect(problems.find(each => expected.test(each))).toBeDefined()
  })

  test.each([
    ['vc.example', []],
    ['https://vc.example:8443/sdk', []],
    ['http://vc.example', ['CDS_HATCHERY_VSPHERE_ENDPOINT: must begin with https:, not http:; write it like vcenter.example.org']],
    ['https://a:b@vc.example', ['CDS_HATCHERY_VSPHERE_ENDPOINT: must not hold a user or password; give them as user and password']],
  ])('the endpoint %s', async (endpoint, expected) => {
    expect(await problemsOf({}, { CDS_HATCHERY_VSPHERE_ENDPOINT: endpoint })).toEqual(expected)
  })
})

describe('what works, but perhaps not as its writer thinks, is told', () => {
  test.each([
    [
      { more: 'countSmallerFlavorToKeep = 2' },
      'countSmallerFlavorToKeep: has no effect: maxCpus is 0; set maxCpus to the vCPUs that the hatchery may use',
    ],
    [
      { more: 'maxCpus = 8\ncountSmallerFlavorToKeep = 2' },
      'countSmallerFlavorToKeep: has no effect: no flavor is smaller than another; add flavors',
    ],
    [
      { more: 'maxCpus = 4', tables: '[hatchery.vsphere.flavors.big]\ncpus = 8\nmemoryMB = 1' },
      'flavors.big.cpus: no VM of flavor "big" can start: maxCpus is 4; raise maxCpus',
    ],
    [{ more: 'iprange = "10.0.0.0/28"' }, 'gateway: is missing: guests with addresses of iprange reach only their own subnet; add it'],
    [
      { more: 'iprange = "10.0.0.0/28,10.0.1.64/26"\ngateway = "10.0.0.14"' },
      'gateway: is in another subnet (255.255.255.0) than 10.0.1.64/26: guests with such an address do not reach it; correct gateway or subnetMask, or give each subnet an entry of networks',
    ],
    [
      { provision: 'ratioService = 50' },
      'commonConfiguration.provision.ratioService: is not used; no worker of this hatchery runs services',
    ],
    [
      { provision: '[hatchery.vsphere.commonConfiguration.logOptions.spawnOptions]\nthresholdCritical = 480' },
      'commonConfiguration.logOptions: is not used; a spawn that takes 10 minutes is taken back and told to CDS; deploy/alerts has a rule for spawns that fail',
    ],
    [
      { more: 'disableCreateImage = true' },
      'disableCreateImage: is not used; set maxConcurrentRegistering to -1: then no template of a worker model is built',
    ],
    [{ more: 'createImageTimeout = 180' }, 'createImageTimeout: is not used; the template of a worker model has 15 minutes to be built'],
    [
      { provision: '[hatchery.vsphere.commonConfiguration.api.grpc]\nurl = "http://localhost:8082"' },
      'commonConfiguration.api.grpc: is not used; CDS is spoken to over HTTP',
    ],
    [
      { provision: 'injectEnvVars = ["A=1", "wrong"]' },
      'commonConfiguration.provision.injectEnvVars[1]: is left out: it is no variable; write it as NAME=value',
    ],
    [
      { provision: '[hatchery.vsphere.commonConfiguration.provision.workerCdn.tcp]\nenableTLS = true' },
      'commonConfiguration.provision.workerCdn.tcp.enableTLS: is not used: there is no url beside it; add it',
    ],
    [
      { provision: '[hatchery.vsphere.commonConfiguration.provision.workerApiHttp]\ninsecure = true' },
      'commonConfiguration.provision.workerApiHttp.insecure: is not used: there is no url beside it; add it',
    ],
    [{ more: 'countForeignVMs = true' }, /^countForeignVMs: every VM of the datacenter counts as a worker/],
  ])('%j', async (parts, expected) => {
    const warnings = await warningsOf(parts)
    if (typeof expected === 'string') expect(warnings).toEqual([expected])
    else expect(warnings[0]).toMatch(expected)
  })

  test('V2 models for V1 jobs without a V2 token', async () => {
    const tables = '[[hatchery.vsphere.defaultWorkerModelsV2]]\nworkerModelV2 = "P/v/r/m"'
    const { settings, warnings } = await readFile(operatorFile({ tables }).replace('tokenV2 = "token-of-v2"', ''))
    expect(settings?.api.tokenV2).toBeUndefined()
    expect(warnings.map(problemLine)).toEqual([
      'defaultWorkerModelsV2: is not used: V2 models cannot be read without tokenV2; add commonConfiguration.api.tokenV2, or remove them',
    ])
  })

  test.each([
    { http: 'url = "https://api"\ninsecure = true', isWarnedOf: true },
    { http: 'url = "https://api"\ninsecure = false', isWarnedOf: false },
    { http: `url = "https://api"\ninsecure = true\nthumbprint = "${'ab'.repeat(32)}"`, isWarnedOf: false },
    { http: 'url = "http://api"\ninsecure = true', isWarnedOf: false },
  ])('a certificate that nobody checks: $http', async ({ http, isWarnedOf }) => {
    const { warnings } = await readFile(operatorFile().replace('url = "http://127.0.0.1:8081"', http))
    const expected =
      'commonConfiguration.api.http.insecure: whoever answers in the API’s place is believed and gets the tokens: its certificate is not checked; ' +
      'add ca or thumbprint beside it: then the hatchery checks it, and only workers go by insecure'
    expect(warnings.map(problemLine)).toEqual(isWarnedOf ? [expected] : [])
  })
})

test('whatever stands in a table, reading it ends with settings or with problems that have a place and a fix', async () => {
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null))
  const name = fc.constantFrom(
    'user',
    'maxCpus',
    'flavors',
    'networks',
    'iprange',
    'commonConfiguration',
    'provision',
    'api',
    'models',
    'name',
  )
  const { value } = fc.letrec(tie => ({
    value: fc.oneof(
      { maxDepth: 4 },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(name, fc.string()), tie('value')),
    ),
  }))
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, value), async table => {
      const { settings, problems } = await hatcherySettings(table, { environment: {} })
      expect(settings === undefined).toBe(problems.length > 0)
      expect(problems.every(({ path, fix }) => path[0] === 'hatchery' && fix !== undefined)).toBe(true)
    }),
    { numRuns: 200 },
  )
})
