import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { httpClient, realClock, realWebSockets } from '../../../src/ports/index.ts'
import { chapters, transcribe } from '../../../src/simulation/cds/contract/chapters.ts'
import type { CdsSubject } from '../../../src/simulation/cds/contract/subject.ts'
import { Administrator } from './administrator.ts'
import { type RealCds, startCds } from './start.ts'

// `AVIARY_RECORD=1` writes down what the real API says now, for the test of the simulated one, which runs without it.

let cds: RealCds
let subject: CdsSubject

beforeAll(async () => {
  cds = await startCds()
  const administrator = new Administrator(cds)
  const clock = realClock()
  subject = {
    url: cds.url,
    http: httpClient({ clock }),
    webSockets: realWebSockets({ clock }),
    now: () => clock.now(),
    pass: milliseconds => clock.sleep(milliseconds),
    addHatcheryV1: (name, region) => administrator.addHatcheryV1(name, region),
    addHatcheryV2: (name, region) => administrator.addHatcheryV2(name, region),
    addRegion: name => administrator.addRegion(name),
    startJobV1: project => administrator.startJobV1({ project }),
    startJobV2: request => administrator.startJobV2(request),
    addModelV1: async name => {
      const machine = {
        image: 'debian12',
        user: 'root',
        password: 'guestpw',
        pre_cmd: 'true',
        cmd: './worker',
        post_cmd: 'shutdown -h now',
      }
      return (await administrator.addModelV1(name, machine)).id
    },
  }
})
afterAll(async () => {
  await subject?.http.close()
  await cds?.stop()
})

test.each(chapters)('the real CDS API says what was written down: $title', { timeout: 120_000 }, async chapter => {
  const said = await transcribe(subject, chapter)
  const file = new URL(`../../../src/simulation/cds/recorded/${chapter.title}.txt`, import.meta.url)
  if (process.env['AVIARY_RECORD'] !== undefined) writeFileSync(file, said)
  expect(said).toBe(readFileSync(file, 'utf8'))
})
