import { platformContract } from '../../../src/platform/contract.ts'
import { vcsimSubject } from './vcsim-world.ts'

// The limits of its calls are minutes, which are real here: src/vsphere/vsphere-platform.test.ts sees that they are kept.
platformContract('vSphere on a simulated vCenter', vcsimSubject, { without: ['silence'] })
