import { afterAll, beforeAll, expect, test } from 'vitest'
import { readFileSync } from 'node:fs'
import { type NormalAnswer, normaliseAnswer } from './recorded/normalise-answer.ts'
import { recordedRequests } from './recorded/requests.ts'
import { hastyClock } from './testing/hasty-clock.ts'
import { testServer } from './testing/test-server.ts'

/** What a real kube-apiserver answered; test/peers/kubectl/live.test.ts writes it down and checks that it still does. */
const answers = readFileSync(new URL('recorded/answers.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map(line => JSON.parse(line) as NormalAnswer)
const cases = recordedRequests.map((request, index) => ({ ...request, index, expected: answers[index]! }))

let server: Awaited<ReturnType<typeof testServer>>
// In real time, because watches end by it, but sooner.
beforeAll(async () => void (server = await testServer({ clock: hastyClock() })))
afterAll(() => server.close())

test.each(cases)('as the real server: $index $method $path', async ({ method, path, body, headers = {}, expected }) => {
  const answer = await server.send(method, path, { body, headers })
  expect(normaliseAnswer(answer.status, answer.headers['warning'], answer.text)).toEqual(expected)
})
