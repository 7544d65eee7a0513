import { addressNetwork, flavors } from '../../platform/index.ts'
import { Secret } from '../../ports/index.ts'
import type { HatcherySettings } from '../settings.ts'

const minute = 60_000

/** Settings of a hatchery named `aviary` with the documented defaults, three flavors and a network of addresses; and what is given. */
export function plainSettings(given: Partial<HatcherySettings> = {}): HatcherySettings {
  return {
    name: 'aviary',
    osArch: ['linux/amd64'],
    key: new Secret('not a key'),
    http: { address: '127.0.0.1', port: 0 },
    url: 'http://localhost:8086',
    api: {
      url: 'http://localhost:8081',
      insecure: false,
      ca: undefined,
      thumbprint: undefined,
      tokenV1: new Secret('token-v1'),
      tokenV2: new Secret('token-v2'),
      requestTimeout: 10_000,
      maxHeartbeatFailures: 10,
    },
    cdn: { url: undefined, tcp: undefined, tcpTls: false },
    provision: {
      maxWorker: 10,
      maxConcurrentProvisioning: 10,
      maxConcurrentRegistering: 2,
      registerEvery: minute,
      region: '',
      ignoreJobWithNoRegion: false,
      maxAttempts: 5,
      pollV2Queue: true,
      environment: {},
      worker: {
        apiUrl: 'http://localhost:8081',
        apiInsecure: false,
        cdn: { url: undefined, tcp: undefined, tcpTls: undefined },
        basedir: '',
        log: {
          level: '',
          graylog: { host: '', port: 0, protocol: '', extraKey: '', extraValue: '' },
          syslog: { host: '', port: 0, protocol: '', extraTag: '' },
        },
      },
    },
    vsphere: {
      endpoint: 'vcenter.example.org',
      user: 'hatchery',
      password: new Secret('vsphere-password'),
      datacenter: 'DC0',
      datastore: undefined,
      network: undefined,
      card: 'e1000',
      resourcePool: undefined,
      ca: undefined,
      thumbprint: undefined,
    },
    networks: [addressNetwork({ name: 'workers', ranges: '10.0.0.0/26', gateway: '10.0.0.1' })],
    workerTtl: 120 * minute,
    workerRegistrationTtl: 10 * minute,
    provisioningInterval: 2 * minute,
    provisioningPoolSize: 0,
    killAwolInterval: 2 * minute,
    finishedWorkerGracePeriod: 3 * minute,
    provisioning: [],
    credentials: [],
    preStartScripts: new Map(),
    defaultModelsV2: [],
    maxCpus: 0,
    maxMemoryMB: 0,
    flavors: flavors([
      { name: 'small', cpus: 2, memoryMB: 4096 },
      { name: 'medium', cpus: 4, memoryMB: 8192 },
      { name: 'large', cpus: 8, memoryMB: 16384 },
    ]),
    defaultFlavor: undefined,
    countSmallerFlavorToKeep: 0,
    countForeignVms: false,
    ...given,
  }
}
