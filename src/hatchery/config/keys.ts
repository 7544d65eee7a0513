import { flag, maybeWhole, pem, secret, text, texts, unused, whole, word } from './key.ts'
import { list, namedList, table } from './table.ts'

const aYearInMinutes = 366 * 24 * 60
const aYearInSeconds = aYearInMinutes * 60

const http = table('Where the hatchery serves `/mon/status`, `/mon/workers`, `/mon/metrics` and the rest.', {
  addr: text('The address to listen on. Empty: all addresses.', { default: '' }),
  port: whole('The port to listen on. 0: any free one.', { default: 8086, max: 65_535, zeroCounts: true }),
  headerXForwardedFor: unused('requests to /mon are not logged with the address they came from'),
})

const api = table('How the CDS API is reached. At least one of `token` and `tokenV2` is needed.', {
  http: table('Its address and certificate.', {
    url: text('The URL of the CDS API, such as https://cds-api.example.org.', { required: true }),
    insecure: flag(
      'Believe the API’s certificate unseen; workers are told so too. Better use `ca` or `thumbprint`: beside one of them only workers go by it.',
      { default: false },
    ),
    ca: pem('The authority (PEM) of the API’s certificate, if it is not one that the system trusts.'),
    thumbprint: text('SHA-256 of the API’s certificate: trust exactly this one, instead of `ca`.'),
  }),
  grpc: unused('CDS is spoken to over HTTP'),
  token: secret('The sign-in token of the consumer for V1 jobs. Absent: no V1 jobs.'),
  tokenV2: secret('The sign-in token of the hatchery for V2 jobs. Absent: no V2 jobs.'),
  requestTimeout: whole('Seconds that a call to the API may take.', { default: 10, max: 3600 }),
  maxHeartbeatFailures: whole('V1: the hatchery stops after more than so many failed heartbeats in a row.', { default: 10 }),
})

const cdn = table('Where workers send their logs. What is absent here is asked of the API.', {
  url: text('The CDN’s URL.'),
  tcp: table('Its port for logs.', {
    url: text('The CDN’s HOST:PORT for logs.'),
    enableTLS: flag('Whether that port speaks TLS.', { default: false }),
  }),
})

const graylog = table('Graylog, as workers are told of it.', {
  host: text('Its host. Absent: workers do not log there.', { default: '' }),
  port: whole('Its port.', { default: 0, max: 65_535 }),
  protocol: text('`tcp` or `udp`.', { default: '' }),
  extraKey: text('Names of fields that every line gets, with commas between them.', { default: '' }),
  extraValue: text('Their values, in the same order. Not shown: one may be a token.', { default: '' }),
})

const syslog = table('Syslog, as workers are told of it.', {
  host: text('Its host. Absent: workers do not log there.', { default: '' }),
  port: whole('Its port.', { default: 0, max: 65_535 }),
  protocol: text('`tcp` or `udp`.', { default: '' }),
  extraTag: text('A tag that every line gets.', { default: '' }),
})

const provision = table('What all hatcheries of CDS have in common.', {
  maxWorker: whole('How many workers there may be at once. 0: any number, and only resources are a limit.', {
    default: 10,
    zeroCounts: true,
  }),
  maxConcurrentProvisioning: maybeWhole(
    'How many workers may be starting at once. At most `maxWorker`, unless that is 0. Absent or 0: 10, or `maxWorker` if that is less.',
    { default: 10, max: 10_000 },
  ),
  maxConcurrentRegistering: maybeWhole(
    'How many worker models may be registered at once. -1: none ever is. At most `maxWorker`, unless that is 0. Absent or 0: 2, or ' +
      '`maxWorker` if that is less.',
    { default: 2, min: -1 },
  ),
  registerFrequency: whole('Seconds from one look for models to register to the next. 0: never.', {
    default: 60,
    min: -1,
    max: aYearInSeconds,
    zeroCounts: true,
  }),
  region: text('The region, for V1 jobs. V2 jobs have the one of the sign-in.', { default: '' }),
  ignoreJobWithNoRegion: flag('Leave V1 jobs alone that ask for no region.', { default: false }),
  maxAttemptsNumberBeforeFailure: whole('How often a worker is tried for a job before the job is ended as failed. -1: for ever.', {
    default: 5,
    min: -1,
  }),
  disableV2QueuePolling: flag('Hear of no V2 jobs, neither by asking nor by web socket.', { default: false }),
  injectEnvVars: texts('`NAME=value` for the environment of every worker.'),
  workerApiHttp: table('The API as workers see it, if that is not as the hatchery sees it.', {
    url: text('Absent: `api.http.url`, and then `api.http.insecure` counts as well.'),
    insecure: flag('Whether workers believe the certificate of `url` unseen.', { default: false }),
  }),
  workerCdn: table('The CDN as workers see it.', {
    url: text('Absent: as the hatchery sees it.'),
    tcp: table('Its port for logs.', {
      url: text('Absent: as the hatchery sees it, with TLS or without.'),
      enableTLS: flag('Whether `url` speaks TLS.', { default: false }),
    }),
  }),
  workerBasedir: text('The folder that workers work in. Absent: their TMPDIR.', { default: '' }),
  workerLogsOptions: table('Where workers log, besides the CDN.', {
    level: text('The least important line that workers log.', { default: '' }),
    graylog,
    syslog,
  }),
  ratioService: unused('no worker of this hatchery runs services'),
  disabled: unused('stop the hatchery instead'),
  frequency: unused('jobs are heard of by web socket, and asked for every 20 s'),
  graceTimeQueued: unused('jobs are taken as soon as there is room'),
})

const common = table('What every service of CDS has.', {
  name: text('The name of the consumer (V1) and of the registered hatchery (V2). It is also the owner’s mark on VMs.', {
    required: true,
  }),
  osArch: texts('What workers can run, as `OS/ARCHITECTURE`.', { default: ['linux/amd64'] }),
  rsaPrivateKey: secret('The RSA key (PEM, PKCS#1 or PKCS#8) that signs the tokens of workers.', { required: true }),
  http,
  url: text('The URL that CDS is told for the hatchery. Absent: http://localhost with the port of `http`.'),
  api,
  cdn,
  provision,
  logOptions: unused('a spawn that takes 10 minutes is taken back and told to CDS; deploy/alerts has a rule for spawns that fail'),
})

/** Every key of `[hatchery.vsphere]`, of all ages of the original and of our own. */
export const vsphereKeys = {
  user: text('The account in vCenter.', { required: true }),
  endpoint: text('The vCenter: a host name such as vcenter.example.org, with a port if it is not 443.', { required: true }),
  password: secret('The account’s password. Any characters.', { required: true }),
  datacenterString: text('The datacenter, by name or path.', { required: true }),
  datastoreString: text('Where the disks of VMs go. Absent: where their template’s are.'),
  networkString: text('The network of VMs. Absent: that of their template.'),
  cardName: word('The sort of the first network card of VMs, whatever that of their template is.', {
    default: 'e1000',
    words: ['e1000', 'e1000e', 'vmxnet2', 'vmxnet3', 'pcnet32', 'sriov'],
  }),
  resourcePoolString: text('The resource pool of VMs, by name or path. Needed if the datacenter has more than one.'),
  ca: pem('The authority (PEM) of vCenter’s certificate, if it is not one that the system trusts: a path, or the PEM itself.'),
  thumbprint: text('SHA-256 of vCenter’s certificate: trust exactly this one, instead of `ca`.'),
  iprange: text('Addresses for guests, as blocks with commas between them: `10.0.0.0/28,10.0.1.64/26`. Absent: DHCP.', { default: '' }),
  gateway: text('The gateway of guests.', { default: '' }),
  dns: text('The name server of guests; several with commas between them.', { default: '' }),
  subnetMask: text('The subnet mask of guests.', { default: '255.255.255.0' }),
  networks: list('Several ranges with gateways of their own, used in this order, instead of `iprange`, `gateway` and `subnetMask`.', {
    iprange: text('Blocks of addresses, with commas between them.', { required: true }),
    gateway: text('The gateway of guests with such an address.', { required: true }),
    subnetMask: text('Their subnet mask.', { required: true }),
  }),
  workerTTL: whole('Minutes after which a worker that CDS knows is removed.', { default: 120, max: aYearInMinutes }),
  workerRegistrationTTL: whole('Minutes that a started VM has to sign in to CDS.', { default: 10, max: aYearInMinutes }),
  workerProvisioningInterval: maybeWhole('Seconds from one look at the VMs that stand ready to the next. 0 counts as absent.', {
    default: 120,
    max: aYearInSeconds,
    zeroCounts: true,
  }),
  workerProvisioningPoolSize: maybeWhole(
    'How many VMs are made ready at the same time. -1: any number. 0: any number too; but if `workerProvisioningInterval` is also 0, as in ' +
      'a generated file that nobody filled in, it counts as absent.',
    { default: 1, min: -1, zeroCounts: true },
  ),
  killAwolServersInterval: whole('Seconds from one look for VMs that are no longer needed to the next.', {
    default: 120,
    max: aYearInSeconds,
  }),
  finishedWorkerGracePeriod: whole(
    'Seconds after its start for which the powered-off VM of a worker is kept that CDS does not know and that was never seen on. ' +
      'One that was seen to go off is removed within seconds.',
    { default: 180, max: aYearInSeconds },
  ),
  workerProvisioning: list('VMs that are to stand ready.', {
    modelPath: text('A V1 worker model, as `group/name`.'),
    modelVMWare: text('A template, for V2 worker models.'),
    number: whole('How many.', { default: 0, max: 100_000 }),
    flavor: text('The flavor that they get. Absent: they stay as the template is, and are resized when a job takes them.'),
  }),
  guestCredentials: list('Who may start programs in guests. Looked at before what the worker model says.', {
    modelPath: text('A V1 worker model, as `group/name`.'),
    modelVMWare: text('A template, for V2 worker models. V1 models are found here too if nobody else names a login for them.'),
    username: text('Who logs in to the guest.'),
    password: secret('With which password.'),
  }),
  models: list('The same by template, with a script. Looked at before `guestCredentials`.', {
    modelVMWare: text('A template.'),
    username: text('Who logs in to the guest.'),
    password: secret('With which password.'),
    preStartScript: text('A script that runs in the guest before the worker. It has two minutes; if it fails, no worker is started.'),
  }),
  defaultWorkerModelsV2: list('V2 worker models for V1 jobs that name no model.', {
    workerModelV2: text('The model, as `PROJECT/VCS/REPOSITORY/MODEL@BRANCH`.'),
    binaries: texts('It is used for jobs that ask for one of these. The first entry also serves jobs that ask for none.'),
  }),
  maxCpus: whole('How many vCPUs the hatchery’s VMs may have together. 0: no limit.', { default: 0 }),
  maxMemoryMB: whole('How much memory (MB) the hatchery’s VMs may have together. 0: no limit.', { default: 0 }),
  flavors: namedList(
    'Sizes that jobs and models may ask for, by a name whose case does not count. `[hatchery.vsphere.flavors.NAME]` tables are accepted too.',
    {
      name: text('What it is called.'),
      cpus: whole('How many vCPUs.', { default: 0, required: true }),
      memoryMB: whole('How much memory in MB.', { default: 0, required: true }),
      diskSizeGB: whole('The first disk is grown to so many GB. Never shrunk.', { default: 0 }),
    },
  ),
  defaultFlavor: text('The flavor of jobs whose model and requirements name none.'),
  countSmallerFlavorToKeep: whole(
    'How many VMs of the smallest smaller flavor must still fit below `maxCpus` after a larger one is started. 0: none.',
    { default: 0, max: 100_000 },
  ),
  countForeignVMs: flag('Count every VM of the datacenter as a started worker, as the original does. Rarely what is wanted.', {
    default: false,
  }),
  disableCreateImage: unused('set maxConcurrentRegistering to -1: then no template of a worker model is built'),
  createImageTimeout: unused('the template of a worker model has 15 minutes to be built'),
  commonConfiguration: common,
} as const
