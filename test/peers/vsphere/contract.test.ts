import { platformContract } from '../../../src/platform/contract.ts'
import { vcsimSubject } from './vcsim-world.ts'

platformContract('vSphere on a simulated vCenter', vcsimSubject)
