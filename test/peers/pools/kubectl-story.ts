import { execFile } from 'node:child_process'
import { expect } from 'vitest'
import { usePeer } from '../peer.ts'

/** Runs kubectl; rejects with what it printed if it fails. */
export type Kubectl = (command: string, input?: object) => Promise<string>

/** kubectl with a kubeconfig. */
export async function kubectlAt(kubeconfig: string): Promise<Kubectl> {
  const program = await usePeer('kubectl')
  return (command, input) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const child = execFile(program, ['--kubeconfig', kubeconfig, ...command.split(' ')], (error, output, complaints) =>
      error === null ? resolve(output.trim()) : reject(new Error(`kubectl ${command}: ${complaints}`, { cause: error })),
    )
    child.stdin?.end(input === undefined ? '' : JSON.stringify(input))
    return promise
  }
}

const meta = (name: string) => ({ name, namespace: 'default' })
const hive = { apiVersion: 'hive.openshift.io/v1' }

/** What people do with plain kubectl: a pool is scaled, a claim is waited for, and given back. Ends with nothing left. */
export async function kubectlStory(kubeconfig: string): Promise<'nothing is left'> {
  const kubectl = await kubectlAt(kubeconfig)
  await kubectl('apply -f -', { ...hive, kind: 'ClusterImageSet', metadata: { name: 'plain' }, spec: { releaseImage: 'x:1' } })
  await kubectl('apply -f -', {
    ...hive,
    kind: 'ClusterPool',
    metadata: meta('flock'),
    spec: { platform: { none: {} }, baseDomain: 'example.com', imageSetRef: { name: 'plain' }, size: 1, runningCount: 9 },
  })
  expect(await kubectl('wait clusterpool/flock --for=condition=Filled --timeout=60s')).toBe(
    'clusterpool.hive.openshift.io/flock condition met',
  )

  expect(await kubectl('scale clusterpool/flock --replicas=3')).toBe('clusterpool.hive.openshift.io/flock scaled')
  await kubectl('wait cp/flock --for=jsonpath={.status.ready}=3 --timeout=60s')
  expect(await kubectl('get cp flock -o jsonpath={.spec.size}')).toBe('3')
  // Somebody who thinks that there are two is told that there are three.
  await expect(kubectl('scale cp flock --current-replicas=2 --replicas=5')).rejects.toThrow('Expected replicas to be 2, was 3')

  await kubectl('apply -f -', { ...hive, kind: 'ClusterClaim', metadata: meta('mine'), spec: { clusterPoolName: 'flock' } })
  expect(await kubectl('wait clusterclaim/mine --for=condition=Pending=False --timeout=60s')).toContain('condition met')
  expect(await kubectl('wait clusterclaim/mine --for=condition=ClusterRunning --timeout=60s')).toContain('condition met')
  const namespace = await kubectl('get clusterclaim mine -o jsonpath={.spec.namespace}')
  expect(await kubectl(`wait cd/${namespace} -n ${namespace} --for=condition=Provisioned --timeout=60s`)).toContain('condition met')
  expect(await kubectl(`get cd ${namespace} -n ${namespace} -o jsonpath={.spec.clusterPoolRef.claimName}`)).toBe('mine')

  // Each returns when the thing is gone, and with it what was made for it.
  await kubectl('delete clusterclaim mine --timeout=60s')
  await kubectl('scale cp flock --replicas=0')
  await kubectl('delete cp flock --timeout=60s')
  expect(await kubectl('get cd -A -l hive.openshift.io/clusterpool-name=flock -o name')).toBe('')
  await kubectl('delete clusterimageset plain')
  return 'nothing is left'
}
