import { afterAll, beforeAll, expect, test } from 'vitest'
import { loopback } from '../../../src/server/testing/aviary-on-loopback.ts'
import { kubectlStory } from './kubectl-story.ts'

// On the embedded engine; pools-real.test.ts tells the same story on a real kube-apiserver.

let house: Awaited<ReturnType<typeof loopback>>
beforeAll(async () => {
  house = await loopback()
})
afterAll(() => house[Symbol.asyncDispose]())

test('plain kubectl scales a pool, waits for it and for a claim, and gives the claim back', async () => {
  const { kubeconfig } = await house.start(`
    [pools.installer]
    kind = "simulated"
    installSeconds = 0.5
    deprovisionSeconds = 0.5
    powerSeconds = 0
  `)
  expect(await kubectlStory(kubeconfig!)).toBe('nothing is left')
}, 120_000)
