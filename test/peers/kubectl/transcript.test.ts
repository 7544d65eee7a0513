import { afterAll, beforeAll, expect, test } from 'vitest'
import { usePeer } from '../peer.ts'
import { chapters } from './chapters/index.ts'
import { expectedTranscript } from './expected.ts'
import { startOwnServer } from './own-server.ts'
import { Transcriber } from './run-steps.ts'
import { nest } from './step.ts'

let server: Awaited<ReturnType<typeof startOwnServer>>
let kubectl: Transcriber

beforeAll(async () => {
  server = await startOwnServer()
  kubectl = new Transcriber({ program: await usePeer('kubectl'), kubeconfig: server.kubeconfig })
})
afterAll(async () => {
  kubectl.close()
  await server.stop()
})

// In order: later chapters meet what earlier ones left.
test.each(chapters)('kubectl prints what it prints with a real server: $title', async chapter => {
  expect(await kubectl.chapter(chapter)).toBe(expectedTranscript(chapter))
})

test('server-side apply is refused in words that say what to do instead', async () => {
  const steps = [{ run: 'apply --server-side -f -', stdin: nest('modern', '  eggs: 1\n') }]
  const transcript = await kubectl.chapter({ title: 'server-side apply', steps })
  expect(transcript).toContain('server-side apply is not supported, use `kubectl apply` without --server-side')
  expect(transcript).toContain('exit 1')
})

test('definitions cannot be written, and kubectl says so', async () => {
  const steps = [{ run: 'delete crd nests.demo.aviary.dev' }]
  const transcript = await kubectl.chapter({ title: 'definitions', steps })
  expect(transcript).toContain('delete is not supported on resources of kind "customresourcedefinitions.apiextensions.k8s.io"')
})
