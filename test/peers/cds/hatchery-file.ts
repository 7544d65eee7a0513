/** What an operator's file for a vSphere hatchery says. */
export interface HatcheryFileOptions {
  readonly name: string
  /** PEM of the RSA key, PKCS#1. */
  readonly key: string
  readonly tokenV1?: string
  readonly tokenV2?: string
  /** URL of the CDS API. */
  readonly api: string
  /** Where the hatchery's own HTTP server listens. */
  readonly port: number
  readonly vcenter: { readonly url: string; readonly user: string; readonly password: string }
  /** Ready VMs of the template `debian12`. Default 0. */
  readonly ready?: number
  /** Workers that may be starting at once. Default 50. The original takes every VM of the datacenter for one. */
  readonly starting?: number
  /** Default 10.20.0.16/28. */
  readonly addresses?: string
  /** Further lines in `[hatchery.vsphere]`. */
  readonly more?: readonly string[]
  /** Further lines in `[hatchery.vsphere.commonConfiguration.provision]`. */
  readonly provision?: readonly string[]
}

/** The file as the original and ours read it: flavors small and large, guests of `debian12`. */
export function hatcheryFile(options: HatcheryFileOptions): string {
  const { name, key, tokenV1, tokenV2, api, port, vcenter, ready = 0, starting = 50, more = [], provision = [] } = options
  const table = (header: string, lines: readonly (string | undefined)[]) =>
    `[${header}]\n${lines.flatMap(line => (line === undefined ? [] : [`  ${line}\n`])).join('')}`
  const entry = (what: string, lines: readonly string[]) => table(`[hatchery.vsphere.${what}]`, lines)
  const shared = 'hatchery.vsphere.commonConfiguration'
  return [
    table('log', ['level = "info"']),
    table('hatchery.vsphere', [
      `user = "${vcenter.user}"`,
      `password = "${vcenter.password}"`,
      `endpoint = "${new URL(vcenter.url).host}"`,
      'datacenterString = "DC0"',
      'datastoreString = "LocalDS_0"',
      'networkString = "VM Network"',
      'cardName = "e1000"',
      `iprange = "${options.addresses ?? '10.20.0.16/28'}"`,
      'gateway = "10.20.0.1"',
      'dns = "10.20.0.2"',
      'subnetMask = "255.255.255.0"',
      'defaultFlavor = "small"',
      ...more,
    ]),
    entry('flavors', ['name = "small"', 'cpus = 2', 'memoryMB = 256']),
    entry('flavors', ['name = "large"', 'cpus = 4', 'memoryMB = 512']),
    ready > 0 ? entry('workerProvisioning', ['modelVMWare = "debian12"', `number = ${ready}`]) : '',
    entry('guestCredentials', ['modelVMWare = "debian12"', 'username = "root"', 'password = "guestpw"']),
    entry('guestCredentials', ['modelPath = "shared.infra/deb"', 'username = "root"', 'password = "guestpw"']),
    table(shared, [
      `name = "${name}"`,
      'osArch = ["linux/amd64"]',
      `url = "http://127.0.0.1:${port}"`,
      `rsaPrivateKey = ${JSON.stringify(key)}`,
    ]),
    table(`${shared}.http`, ['addr = "127.0.0.1"', `port = ${port}`]),
    table(`${shared}.api`, [
      tokenV1 === undefined ? undefined : `token = "${tokenV1}"`,
      tokenV2 === undefined ? undefined : `tokenV2 = "${tokenV2}"`,
      'requestTimeout = 10',
      'maxHeartbeatFailures = 10',
    ]),
    table(`${shared}.api.http`, [`url = "${api}"`]),
    table(`${shared}.provision`, [
      'maxWorker = 0',
      `maxConcurrentProvisioning = ${starting}`,
      'registerFrequency = 60',
      'injectEnvVars = ["PLACE=nest"]',
      ...provision,
    ]),
  ].join('\n')
}
