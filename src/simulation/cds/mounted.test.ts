import { expect, test } from 'vitest'
import { readFileSync } from 'node:fs'
import { httpClient, realClock, realWebSockets, seededChance, serveHandler } from '../../ports/index.ts'
import { chapters, transcribe } from './contract/chapters.ts'
import { SimulatedCds } from './simulated-cds.ts'

test('on a real port the simulated CDS says the same as inside this process, web sockets included', async () => {
  const clock = realClock()
  const cds = new SimulatedCds({ clock, chance: seededChance(1), call: [0, 1] })
  await using served = await serveHandler({ handler: cds.handler, webSockets: cds.webSocketHandler })
  const http = httpClient({ clock })
  const model = { name: 'deb', osarch: 'linux/amd64', type: 'vsphere', spec: { image: 'debian12' } }
  const chapter = chapters.find(each => each.title === 'sockets')!
  const said = await transcribe(
    {
      url: served.url,
      http,
      webSockets: realWebSockets({ clock }),
      now: () => clock.now(),
      pass: milliseconds => clock.sleep(milliseconds),
      addHatcheryV1: async name => cds.addHatcheryV1({ name }),
      addHatcheryV2: async (name, region) => cds.addHatcheryV2({ name, ...(region !== undefined && { region }) }),
      addRegion: async name => cds.addRegion(name),
      startJobV1: async project => cds.addJobV1({ project }).id,
      startJobV2: async ({ project, region }) => cds.addJobV2({ project, name: 'j1', region, model }).id,
      addModelV1: async () => 0,
    },
    chapter,
  )
  expect(said).toBe(readFileSync(new URL('recorded/sockets.txt', import.meta.url), 'utf8'))
  await http.close()
  cds.stop()
})
