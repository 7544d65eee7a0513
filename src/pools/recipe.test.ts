import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConfigMap, Secret } from '../kinds/index.ts'
import { findCondition } from '../control/index.ts'
import type { InstallerCluster } from './installer/installer.ts'
import { home, poolDraft, PoolWorld } from './testing/pool-world.ts'

// What clusters are installed from: the template of install-configs, and the variables of the installer.

let world: PoolWorld
beforeEach(async () => {
  world = await PoolWorld.make()
})
afterEach(() => world.stop())

const told = async (type: string) => findCondition(await world.pool(), type)
const secret = (name: string, stringData: Readonly<Record<string, string>>) =>
  world.store.create(Secret, { metadata: { name, namespace: home }, stringData })

describe('a template', () => {
  const refused = (line: string) => `install config template secret: Secret "template" is not a YAML mapping${line}`
  test.each([
    ['is a list', '- hidden\n', refused('')],
    ['is a text', 'hidden\n', refused('')],
    ['is empty', '', refused('')],
    ['is broken', 'platform: {}\npullSecret: password: hidden\n', refused(' (line 2)')],
    ['is two documents', 'a: hidden\n---\nb: hidden\n', refused(' (line 2)')],
    ['refers to what is not there', 'a: *hidden\n', refused('')],
  ])('that %s is told of without a word of what it says, and nothing is made from it', async (_, text, message) => {
    await secret('template', { 'install-config.yaml': text })
    world.start()
    await world.createPool({ size: 1, installConfigSecretTemplateRef: { name: 'template' } })
    await world.seconds(10)
    expect(await world.clusters()).toEqual([])
    expect(await told('MissingDependencies')).toMatchObject({ status: 'True', message })
    expect(JSON.stringify([await world.pool(), world.log.lines])).not.toContain('hidden')
  })

  test('may lack mappings that belong there, or have something else in their place', async () => {
    await secret('template', { 'install-config.yaml': 'metadata: text\nplatform: [none]\n' })
    world.start()
    const entry = { name: 'heron', vSphere: { apiVIPs: ['10.0.0.1'] } }
    await world.createPool({ size: 1, installConfigSecretTemplateRef: { name: 'template' }, inventory: { clusterDeployments: [entry] } })
    await world.seconds(10)
    const { name } = (await world.cluster('heron'))!.metadata
    const { data } = await world.store.get(Secret, { namespace: name, name: `${name}-install-config` })
    const config = Buffer.from(data!['install-config.yaml']!, 'base64').toString()
    expect(config).toContain('metadata:\n  name: heron\n')
    expect(config).toContain('platform:\n  vsphere:\n    apiVIPs:\n      - 10.0.0.1\n')
  })
})

describe('a variable of the installer', () => {
  /** Keeps what the installer is told. */
  function witness(): Readonly<Record<string, string>>[] {
    const seen: Readonly<Record<string, string>>[] = []
    const install = world.installer.install.bind(world.installer)
    world.installer.install = async request => {
      const { environment } = request as unknown as InstallerCluster
      seen.push(Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value.reveal()])))
      return install(request)
    }
    return seen
  }
  const fromSecret = (key: string, optional?: boolean) => ({
    valueFrom: { secretKeyRef: { name: 'proxy', key, ...(optional === undefined ? {} : { optional }) } },
  })

  test('has its value from a Secret or a ConfigMap of the pool’s namespace, and the cluster keeps that in a Secret', async () => {
    await secret('proxy', { password: 'hidden' })
    await world.store.create(ConfigMap, { metadata: { name: 'settings', namespace: home }, data: { zone: 'north' } })
    const seen = witness()
    world.start()
    await world.createPool({
      size: 1,
      installerEnv: [
        { name: 'PLAIN', value: 'as it is' },
        { name: 'EMPTY' },
        { name: 'PASSWORD', ...fromSecret('password') },
        { name: 'ZONE', valueFrom: { configMapKeyRef: { name: 'settings', key: 'zone' } } },
        { name: 'PERHAPS', ...fromSecret('nothing', true) },
      ],
    })
    await world.seconds(10)
    expect(seen[0]).toEqual({ PLAIN: 'as it is', EMPTY: '', PASSWORD: 'hidden', ZONE: 'north' })
    const [cluster] = await world.clusters()
    expect(JSON.stringify([await world.pool(), cluster, world.log.lines])).not.toContain('hidden')
    expect(cluster?.spec.provisioning?.installerEnv?.map(({ name }) => name)).toEqual(['PLAIN', 'EMPTY', 'PASSWORD', 'ZONE'])
    // What the installer is called with later is the same.
    await world.changePool({ size: 0 })
    await world.seconds(100)
    expect(await world.clusters()).toEqual([])
  })

  test.each([
    ['not found', undefined],
    ['has no key password', { other: 'x' }],
  ])('whose Secret %s is waited for, by pool and cluster alike, and told of', async (what, data) => {
    if (data !== undefined) await secret('proxy', data)
    world.start()
    await world.createPool({ size: 1, installerEnv: [{ name: 'PASSWORD', ...fromSecret('password') }] })
    await world.seconds(10)
    expect(await world.clusters()).toEqual([])
    expect(await told('MissingDependencies')).toMatchObject({ message: `installer variable PASSWORD: Secret "proxy" ${what}` })
    if (data !== undefined) await world.store.delete(Secret, { namespace: home, name: 'proxy' })
    await secret('proxy', { password: 'p' })
    await world.seconds(40)
    expect(await world.clusters()).toHaveLength(1)
  })

  test('that a cluster has lost is waited for before it is installed', async () => {
    await secret('proxy', { password: 'p' })
    const seen = witness()
    const create = world.store.create.bind(world.store)
    let isLost = true
    world.store.create = async (kind, draft, options) => {
      if (isLost && kind.name === 'Secret' && draft.metadata.name?.endsWith('-installer-env') === true) return draft as never
      return create(kind, draft, options)
    }
    world.start()
    await world.createPool({ size: 1, installerEnv: [{ name: 'PASSWORD', ...fromSecret('password') }] })
    await world.seconds(10)
    const [cluster] = await world.clusters()
    const { name } = cluster!.metadata
    expect(findCondition(cluster!, 'RequirementsMet')).toMatchObject({
      status: 'False',
      reason: 'InstallerEnvNotAvailable',
      message: `installer variable PASSWORD: Secret "${name}-installer-env" not found`,
    })
    expect(seen).toEqual([])
    isLost = false
    await world.store.create(Secret, { metadata: { namespace: name, name: `${name}-installer-env` }, stringData: { PASSWORD: 'p' } })
    await world.seconds(40)
    expect(seen[0]).toEqual({ PASSWORD: 'p' })
  })

  test.each<[string, object]>([
    ['without a name', { value: 'x' }],
    ['with an empty name', { name: '' }],
    ['with a name that no environment has', { name: 'A=B' }],
    ['with a field of a Pod', { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    ['with two sources', { name: 'A', value: 'x', ...fromSecret('a') }],
    ['with no source', { name: 'A', valueFrom: {} }],
  ])('is refused %s', async (_, variable) => {
    const draft = poolDraft({ installerEnv: [variable as { name: string }] })
    await expect(world.createPool(draft.spec)).rejects.toThrow('spec.installerEnv')
  })
})
