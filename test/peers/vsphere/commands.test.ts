import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { play as playAnywhere, type PlayOptions } from '../../../src/cli/testing/played-io.ts'
import { operatorFile } from '../../../src/hatchery/testing/operator-file.ts'
import { startVcsim, type Vcsim } from '../peer.ts'
import { connectTo, never, thumbprintOf, type Vcenter } from './vcenter.ts'
import { makeTemplate } from './vcsim-world.ts'

let sim: Vcsim
let other: Vcenter
let template: string
let folder: string
let file: string

beforeAll(async () => {
  sim = await startVcsim({ vms: 3, taskMs: 20, toolsMs: 50, addressMs: 100, deny: ['VirtualMachine.Config.Rename'] })
  other = await connectTo(sim)
  template = await makeTemplate(other)
  folder = await mkdtemp(join(tmpdir(), 'aviary-vsphere-'))
  file = await configuration({})
})
afterAll(async () => {
  await other[Symbol.asyncDispose]()
  await sim.stop()
  await rm(folder, { recursive: true })
})

async function configuration(changes: Readonly<Record<string, string | string[]>>): Promise<string> {
  const thumbprint = await thumbprintOf(sim.url)
  const keys = { url: sim.url, user: sim.user, password: sim.password, thumbprint, datacenter: 'DC0', datastore: 'LocalDS_0', ...changes }
  const path = join(folder, `aviary-${Object.keys(changes).join('-')}.toml`)
  const lines = Object.entries(keys).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
  await writeFile(path, `[vsphere]\n${lines.join('')}`)
  return path
}

/** A configuration whose hatchery has a vCenter of its own. */
async function configurationOfTwo(ofHatchery: Vcsim, without = ''): Promise<string> {
  const own = (await readFile(file, 'utf8')).split('\n').filter(line => without === '' || !line.startsWith(without))
  const path = join(folder, `aviary-two-${without}.toml`)
  const hatchery = operatorFile({ more: `thumbprint = "${await thumbprintOf(ofHatchery.url)}"` })
    .replace(/^user = .*$/m, `user = "${ofHatchery.user}"`)
    .replace(/^endpoint = .*$/m, `endpoint = "${new URL(ofHatchery.url).host}"`)
    .replace(/^password = .*$/m, `password = "${ofHatchery.password}"`)
  await writeFile(path, `${own.join('\n')}\n${hatchery}`)
  return path
}

const play = (line: string, options: PlayOptions = {}) => playAnywhere(['vsphere', ...line.split(' ')], { folder, ...options })

describe('doctor', () => {
  test('names the version, and for what is missing what breaks and the fix; it ends with 1 then', async () => {
    const { code, out } = await play(`doctor --config ${file} --template ${template} --template no-such`)
    expect(code).toBe(1)
    expect(out).toMatch(/^ok\s+the version of the vCenter\s+VMware vCenter/m)
    expect(out).toMatch(/^ok\s+datastore LocalDS_0/m)
    expect(out).toMatch(/^2 of \d+ checks failed:$/m)
    expect(out).toContain(
      'privilege VirtualMachine.Config.Rename on the folder\n  breaks: ready VMs cannot be claimed\n  fix:    give a role',
    )
    expect(out).toContain('template no-such\n  found:  there is no VM or template "no-such"')
  })

  test('fits the terminal, and is data for programs', async () => {
    const { out } = await play(`doctor --config ${file}`, { columns: 60 })
    for (const line of out.slice(0, out.indexOf('\n\n')).split('\n')) expect(line.length).toBeLessThanOrEqual(60)
    const { ok, checks } = JSON.parse((await play(`doctor --config ${file} -o json`)).out) as { ok: boolean; checks: { ok: boolean }[] }
    expect([ok, checks.filter(check => !check.ok).length]).toEqual([false, 1])
  })

  test('says that the vCenter does not let us in, and never the password', async () => {
    const { code, out, err } = await play(`doctor --config ${await configuration({ password: 'wr0ng-password' })}`)
    expect(code).toBe(1)
    expect(out).toMatch(/refuses to sign "user" in/)
    expect(out + err).not.toContain('wr0ng-password')
  })
})

describe('vms', () => {
  test('shows VMs and templates, chosen by name if one likes', async () => {
    const { code, out } = await play(`vms --config ${file}`)
    expect([code, out.trim().split('\n').length]).toEqual([0, 4])
    expect(out).toMatch(/^NAME\s+POWER\s+CPUS\s+MEMORY/)
    expect(out).toMatch(/^DC0_C0_RP0_VM1\s+on\s+1\s+32 MB/m)
    expect((await play(`vms --config ${file} --templates -o name`)).out).toBe(`${template}\n`)
    expect((await play(`vms DC0_C0_RP0_VM1 --config ${file} -o wide`)).out).toMatch(/ID\s+HOST.*\n.*vm-\d+\s+host-\d+/)
    const [vm] = JSON.parse((await play(`vms DC0_C0_RP0_VM1 --config ${file} -o json`)).out) as Record<string, unknown>[]
    expect(vm).toMatchObject({ name: 'DC0_C0_RP0_VM1', power: 'on', template: false })
  })

  test('shows each change as it happens until Ctrl-C', async () => {
    const stop = new AbortController()
    const { id } = other.platform.inventory.byName('DC0_C0_RP0_VM2')[0]!
    let changing: Promise<unknown> | undefined
    const { code, out } = await play(`vms --config ${file} --watch`, {
      signal: stop.signal,
      onOut: sofar => {
        changing ??= other.platform.powerOff(id, never)
        if (/VM2\s+off/.test(sofar)) stop.abort(new Error('seen'))
      },
    })
    expect(code).toBe(0)
    expect(out.match(/^NAME/gm)).toHaveLength(1)
    await changing
    await other.platform.powerOn(id, never)
  })
})

describe('tasks', () => {
  test('shows what others have under way, or that there is nothing', async () => {
    expect(await play(`tasks --config ${file}`)).toMatchObject({ code: 0, out: '', err: expect.stringContaining('Nothing is under way') })
    const { id } = other.platform.inventory.byName('DC0_C0_RP0_VM1')[0]!
    await other.platform.powerOff(id, never)
    await sim.hold('powerOn')
    const stop = new AbortController()
    const held = other.platform.powerOn(id, stop.signal).catch(() => {})
    await expect.poll(async () => (await sim.state()).tasks).toBe(1)
    expect((await play(`tasks --config ${file}`)).out).toMatch(/^VirtualMachine\.powerOn\s+DC0_C0_RP0_VM1\s+running/m)
    const watching = new AbortController()
    const watched = await play(`tasks --config ${file} --watch`, {
      signal: watching.signal,
      onOut: sofar => {
        stop.abort(new Error('enough'))
        if (sofar.includes('ended')) watching.abort(new Error('seen'))
      },
    })
    expect(watched.out).toMatch(/^VirtualMachine\.powerOn\s+DC0_C0_RP0_VM1\s+ended/m)
    await held
  })
})

describe('with two vCenters', () => {
  let second: Vcsim
  let elsewhere: Vcenter
  let both: string
  const host = (one: Vcsim) => new URL(one.url).host

  beforeAll(async () => {
    second = await startVcsim({ vms: 1, taskMs: 20 })
    elsewhere = await connectTo(second)
    await elsewhere.platform.rename(elsewhere.platform.inventory.byName('DC0_C0_RP0_VM0')[0]!.id, 'only-there', never)
    both = await configurationOfTwo(second)
  })
  afterAll(async () => {
    await elsewhere[Symbol.asyncDispose]()
    await second.stop()
  })

  test('vms shows those of both, and where each is', async () => {
    const { out } = await play(`vms --config ${both}`)
    expect(out).toMatch(/^VCENTER\s+NAME/)
    expect(out).toMatch(new RegExp(`^${host(sim)}\\s+DC0_C0_RP0_VM1 `, 'm'))
    expect(out).toMatch(new RegExp(`^${host(second)}\\s+only-there `, 'm'))
    expect(JSON.parse((await play(`vms only-there DC0_C0_RP0_VM1 --config ${both} -o json`)).out)).toMatchObject([
      { name: 'DC0_C0_RP0_VM1', vcenter: host(sim) },
      { name: 'only-there', vcenter: host(second) },
    ])
    expect((await play(`vms no-such --config ${both}`)).code).toBe(9)
    expect((await play(`tasks --config ${both}`)).err).toContain(`Nothing is under way on ${host(sim)} and ${host(second)}`)
  })

  test('vms --watch follows both', async () => {
    const stop = new AbortController()
    const { id } = elsewhere.platform.inventory.byName('only-there')[0]!
    let changing: Promise<unknown> | undefined
    const { code } = await play(`vms --config ${both} --watch`, {
      signal: stop.signal,
      onOut: sofar => {
        changing ??= elsewhere.platform.powerOff(id, never)
        if (/only-there\s+off/.test(sofar)) stop.abort(new Error('seen'))
      },
    })
    await changing
    expect(code).toBe(0)
  })

  test('what can be seen is shown although another cannot be reached, which is said and told by the exit code', async () => {
    const half = join(folder, 'aviary-half.toml')
    await writeFile(half, (await readFile(both, 'utf8')).replace(sim.url, 'https://127.0.0.1:9'))
    const { code, out, err } = await play(`vms --config ${half}`)
    expect(code).toBe(7)
    expect(err).toContain('127.0.0.1:9')
    expect(out).toMatch(new RegExp(`^${host(second)}\\s+only-there `, 'm'))
    // Who is not seen may be on the other.
    expect((await play(`vms DC0_C0_RP0_VM1 --config ${half}`)).code).toBe(7)
    expect((await play(`tasks --config ${half}`)).code).toBe(7)
  })

  test('doctor says which section each check belongs to', async () => {
    const { out } = await play(`doctor --config ${both}`)
    expect(out).toMatch(/^ok\s+\[vsphere\] datacenter DC0/m)
    expect(out).toMatch(/^ok\s+\[hatchery\.vsphere\] datacenter DC0/m)
  })

  test('one that two sections name is shown once, also if one of them leaves its only datacenter out', async () => {
    const same = await configurationOfTwo(sim, 'datacenter')
    expect((await play(`vms DC0_C0_RP0_VM1 --config ${same} -o name`)).out).toBe('DC0_C0_RP0_VM1\n')
  })
})

describe('what goes wrong has an exit code of its own', () => {
  test.each([
    ['a file that is not there', async () => 'missing.toml', 3],
    ['a password that is wrong', () => configuration({ password: 'wr0ng-password' }), 8],
    ['a vCenter that does not answer', () => configuration({ url: 'https://127.0.0.1:9' }), 7],
    ['a certificate that is another', () => configuration({ thumbprint: 'ab'.repeat(32) }), 7],
    ['a datacenter that is not there', () => configuration({ datacenter: 'DC9' }), 9],
    ['a pool that is not there', () => configuration({ resourcePool: 'no-pool' }), 9],
  ])('%s', async (_, make, code) => {
    expect((await play(`vms --config ${await make()}`)).code).toBe(code)
  })

  test('a VM that is not there, a configuration without a vCenter', async () => {
    expect((await play(`vms no-such --config ${file}`)).code).toBe(9)
    const empty = join(folder, 'empty.toml')
    await writeFile(empty, '')
    expect(await play(`vms --config ${empty}`)).toMatchObject({ code: 2, err: expect.stringContaining('add a section [vsphere]') })
  })

  test('nothing is left behind in the vCenter', async () => {
    expect((await sim.state()).sessions).toBe(1)
  })
})
