import { expect, test } from 'vitest'
import { prometheusMetrics, seededChance, silentLog, type TlsTrust, VirtualClock } from '../../ports/index.ts'
import type { ControllerContext } from '../../control/index.ts'
import { operatorFile } from '../../hatchery/testing/operator-file.ts'
import { readFile } from '../../hatchery/testing/read-operator-file.ts'
import { allKinds } from '../../kinds/index.ts'
import { memoryStore } from '../../store/index.ts'
import type { Ports } from '../ports.ts'
import { vsphereHatchery } from './vsphere-hatchery.ts'

const limits = { total: undefined, perHost: 8, weights: {}, longestWait: 1000 }

/** Whom the parts of a hatchery are told to trust, by what they connect with. */
async function trustOf(apiHttp: string) {
  const [clock, chance] = [new VirtualClock(), seededChance(1)]
  const told: { readonly http: TlsTrust[]; readonly webSockets: TlsTrust[] } = { http: [], webSockets: [] }
  const ports = {
    clock,
    chance,
    log: silentLog,
    metrics: prometheusMetrics(),
    http: (trust: TlsTrust) => {
      told.http.push(trust)
      return { close: async () => {} }
    },
    webSockets: (trust: TlsTrust) => void told.webSockets.push(trust),
  } as unknown as Ports
  const { settings } = await readFile(operatorFile().replace('url = "http://127.0.0.1:8081"', apiHttp))
  const context = { store: memoryStore({ kinds: allKinds, clock, chance }) } as unknown as ControllerContext
  await using _made = await vsphereHatchery(context, { settings: settings!, limits, ports })
  return told
}

test('an API that is to be believed unseen is, over HTTP and web sockets; the vCenter has to prove itself all the same', async () => {
  expect(await trustOf('url = "https://api"\ninsecure = true')).toEqual({
    http: [{}, { insecure: true }],
    webSockets: [{ insecure: true }],
  })
})

test('an API whose certificate is known by its thumbprint is checked, though the file says insecure', async () => {
  const thumbprint = 'ab'.repeat(32)
  const told = await trustOf(`url = "https://api"\ninsecure = true\nthumbprint = "${thumbprint}"`)
  expect(told).toEqual({ http: [{}, { thumbprint }], webSockets: [{ thumbprint }] })
})
