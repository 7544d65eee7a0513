import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { play } from './testing/played-io.ts'
import type { Played, PlayOptions } from './testing/played-io.ts'
import { kubeconfigText, pretendedCluster } from './testing/pretended-cluster.ts'
import type { PretendedCluster } from './testing/pretended-cluster.ts'

let folder: string
let cluster: PretendedCluster
const file = (name: string) => join(folder, name)

/** Plays a command in a folder with kubeconfigs in all places, each for a server of its own, and says which of them were asked. */
async function ask(line: string, options: PlayOptions = {}): Promise<Played & { readonly servers: readonly string[] }> {
  cluster.asked.length = 0
  const played = await play(line.replace('FILE', file('named')).split(' '), { folder, ...options })
  return { ...played, servers: [...new Set(cluster.asked.map(asked => asked.split('/')[1] ?? ''))] }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aviary-connection-'))
  cluster = await pretendedCluster()
  const kubeconfig = (...names: readonly string[]) =>
    kubeconfigText(Object.fromEntries(names.map(name => [name, `${cluster.url}/${name}`])))
  await mkdir(file('data'))
  await mkdir(file('.kube'))
  await writeFile(file('data/kubeconfig'), kubeconfig('local'))
  await writeFile(file('.kube/config'), kubeconfig('home'))
  await writeFile(file('kubectl'), kubeconfig('kubectl'))
  await writeFile(file('aviary'), kubeconfig('aviary'))
  await writeFile(file('named'), kubeconfig('near', 'far'))
})
afterAll(async () => {
  await cluster.close()
  await rm(folder, { recursive: true })
})

/** What the environment says. */
const environments = {
  nothing: () => ({}),
  'empty texts': () => ({ KUBECONFIG: '', AVIARY_KUBECONFIG: '' }),
  home: () => ({ HOME: folder }),
  kubectl: () => ({ HOME: folder, KUBECONFIG: file('kubectl') }),
  both: () => ({ HOME: folder, KUBECONFIG: file('kubectl'), AVIARY_KUBECONFIG: file('aviary') }),
}

test.each([
  ['version --kubeconfig FILE', 'both', 'near'],
  ['version', 'both', 'aviary'],
  ['version', 'kubectl', 'kubectl'],
  ['version', 'home', 'local'],
  ['version', 'nothing', 'local'],
  ['version', 'empty texts', 'local'],
  ['crds install --kubeconfig FILE', 'both', 'near'],
  ['crds install', 'both', 'kubectl'],
  ['crds install', 'kubectl', 'kubectl'],
  ['crds install', 'home', 'home'],
] as const)('%s where the environment names %s asks %s', async (line, environment, server) => {
  expect((await ask(line, { environment: environments[environment]() })).servers).toEqual([server])
})

test('where there is no data folder, the server is the one that kubectl would use', async () => {
  expect((await ask('version', { folder: file('.kube'), environment: environments.home() })).servers).toEqual(['home'])
})

test('a data folder that happens to be here is that of no cluster', async () => {
  expect(await ask('crds install')).toMatchObject({ code: 3, servers: [], err: expect.stringContaining('found no kubeconfig') })
})

describe('--context', () => {
  test.each([
    ['', 'near'],
    [' --context near', 'near'],
    [' --context far', 'far'],
  ])('with "%s" the server and the namespace are those of %s', async (option, name) => {
    await ask(`get nests --kubeconfig FILE${option}`)
    expect(cluster.asked).toEqual([`GET /${name}/apis/demo.aviary.dev/v1alpha1/namespaces/${name}/nests`])
    expect((await ask(`crds install --kubeconfig FILE${option}`)).servers).toEqual([name])
  })

  test('one that is not there is refused, with those that are', async () => {
    expect(await ask('get nests --kubeconfig FILE --context moon')).toMatchObject({
      code: 3,
      servers: [],
      err: expect.stringMatching(/there is no context "moon"\nfix: choose one of near, far /),
    })
  })
})
