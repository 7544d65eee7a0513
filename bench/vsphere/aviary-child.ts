/** aviary-child URL USER PASSWORD THUMBPRINT MODE: what Aviary's client takes to list all VMs (min or full), as one line of JSON. */
import { median } from '../frame/median.ts'
import { httpClient, realClock, Secret, silentLog } from '../../src/ports/index.ts'
import {
  changedRecord,
  containerView,
  emptyRecord,
  retrieve,
  Session,
  SoapClient,
  vmPaths,
  type XmlElement,
} from '../../src/vsphere/testing/inside.ts'

const [url = '', user = '', password = '', thumbprint = '', mode = 'min'] = process.argv.slice(2)
const clock = realClock()
const http = httpClient({ clock, trust: { thumbprint } })
const session = new Session({ soap: new SoapClient(url, http), name: 'vcsim', user, password: new Secret(password), clock, log: silentLog })
const content = await session.content()
const paths = mode === 'full' ? ['name', 'summary', 'guest', 'config'] : vmPaths
const costs: number[] = []
let vms: readonly unknown[] = []
let characters = 0

/** Looks at every name and every text: the client makes them when asked, and what nobody asked for would seem to cost nothing. */
function look({ name, text, children }: XmlElement): void {
  characters += name.length + text.length
  for (const child of children) look(child)
}

for (let round = 0; round < 8; round++) {
  vms = []
  const used = process.cpuUsage()
  const view = await containerView(session, content.manager('rootFolder'), ['VirtualMachine'])
  const found = await retrieve(session, { type: 'VirtualMachine', paths, from: view, through: 'view' })
  if (mode === 'full') for (const { properties } of found) for (const value of properties.values()) look(value)
  vms = mode === 'full' ? found : found.map(({ ref, properties }) => changedRecord(emptyRecord(ref.id), properties).vm)
  const { user: own, system } = process.cpuUsage(used)
  costs.push((own + system) / 1000)
  await session.call('DestroyView', view)
}
await session.close()
await http.close()
console.log(JSON.stringify({ vms: vms.length, first: costs[0], later: median(costs.slice(3)), characters }))
