import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { normaliseAnswer } from '../../../src/apiserver/recorded/normalise-answer.ts'
import { recordedRequests } from '../../../src/apiserver/recorded/requests.ts'
import { usePeer } from '../peer.ts'
import { chapters } from './chapters/index.ts'
import { expectedTranscript, recordTranscript } from './expected.ts'
import { startOwnServer } from './own-server.ts'
import { send, startRealServer } from './real-server.ts'
import { Transcriber } from './run-steps.ts'

// `AVIARY_RECORD=1` writes down what the real server says now, for the tests that run without it.

let own: Awaited<ReturnType<typeof startOwnServer>>
let real: Awaited<ReturnType<typeof startRealServer>>
let ownKubectl: Transcriber
let realKubectl: Transcriber

beforeAll(async () => {
  const program = await usePeer('kubectl')
  own = await startOwnServer()
  real = await startRealServer()
  ownKubectl = new Transcriber({ program, kubeconfig: own.kubeconfig })
  realKubectl = new Transcriber({ program, kubeconfig: real.kubeconfig })
})
afterAll(async () => {
  ownKubectl.close()
  realKubectl.close()
  await own.stop()
  await real.stop()
})

test.each(chapters)('kubectl prints the same with both servers: $title', async chapter => {
  const fromReal = await realKubectl.chapter(chapter)
  recordTranscript(chapter, fromReal)
  expect(await ownKubectl.chapter(chapter)).toBe(fromReal)
  expect(expectedTranscript(chapter)).toBe(fromReal)
})

test('the recorded answers are what the real server answers', async () => {
  await realKubectl.chapter({ title: 'clearing up', steps: [{ run: 'delete nests -n wood --all' }] })
  const answers: string[] = []
  for (const request of recordedRequests) {
    const { status, warning, text } = await send(real, request)
    answers.push(JSON.stringify(normaliseAnswer(status, warning, text)))
  }
  const file = new URL('../../../src/apiserver/recorded/answers.jsonl', import.meta.url)
  const written = `${answers.join('\n')}\n`
  if (process.env['AVIARY_RECORD'] !== undefined) writeFileSync(file, written)
  expect(readFileSync(file, 'utf8')).toBe(written)
})
