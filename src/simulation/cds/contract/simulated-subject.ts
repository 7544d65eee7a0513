import { type HttpClient, seededChance, simulatedHttp, simulatedWebSockets, VirtualClock, type WebSockets } from '../../../ports/index.ts'
import { settle } from '../../platform/testing/settle.ts'
import { SimulatedCds } from '../simulated-cds.ts'
import type { CdsSubject } from './subject.ts'

const machine = {
  image: 'debian12',
  user: 'root',
  password: '{{.secrets.vsphere_password}}',
  pre_cmd: 'true',
  cmd: './worker',
  post_cmd: 'shutdown -h now',
}

/** A simulated CDS to talk to, whose time passes only while somebody waits. */
export function simulatedSubject(): CdsSubject {
  const clock = new VirtualClock()
  const cds = new SimulatedCds({ clock, chance: seededChance('contract') })
  const http = simulatedHttp(cds.handler, { clock })
  const webSockets = simulatedWebSockets(cds.webSocketHandler, { clock })
  const patient: HttpClient = {
    send: request => settle(clock, http.send(request), 5),
    stream: request => settle(clock, http.stream(request), 5),
    close: () => http.close(),
  }
  const patientSockets: WebSockets = { connect: request => settle(clock, webSockets.connect(request), 5) }
  return {
    url: 'http://cds.simulated',
    http: patient,
    webSockets: patientSockets,
    now: () => clock.now(),
    pass: milliseconds => clock.advance(milliseconds),
    addHatcheryV1: async (name, region) =>
      cds.addHatcheryV1({ name, ...(region !== undefined && { region, ignoreJobWithNoRegion: true }) }),
    addHatcheryV2: async (name, region) => cds.addHatcheryV2({ name, ...(region !== undefined && { region }) }),
    addRegion: async name => cds.addRegion(name),
    startJobV1: async project => cds.addJobV1({ project, name: 'j1' }).id,
    startJobV2: async ({ project, region, image, flavor }) => {
      const model = { name: 'deb', osarch: 'linux/amd64', type: 'vsphere', spec: { image } }
      return cds.addJobV2({ project, name: 'j1', region, model, ...(flavor !== undefined && { flavor }) }).id
    },
    addModelV1: async name => cds.addModelV1({ name, machine, secrets: new Map([['secrets.vsphere_password', 'guestpw']]) }).id,
  }
}
