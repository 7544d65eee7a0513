import { expect, test } from 'vitest'
import { FileNotFound, memoryFiles } from '../../ports/index.ts'
import { loadConfig } from '../config/load-config.ts'
import { configuredVcenters } from './vcenters.ts'

async function vcenters(vsphere: string, more: Readonly<Record<string, string>> = {}) {
  const files = memoryFiles({ '/etc/aviary.toml': `[vsphere]\n${vsphere}`, ...more })
  return await configuredVcenters(await loadConfig('/etc/aviary.toml', { files, environment: {} }), files)
}

const access = 'url = "https://vc"\nuser = "ann"\npassword = "x"\n'

test('the authority of a vCenter is what the file holds that is named, beside the configuration', async () => {
  const [vcenter] = await vcenters(`${access}ca = "vcenter.pem"`, { '/etc/vcenter.pem': 'the authority' })
  expect(vcenter).toMatchObject({ section: 'vsphere', settings: { url: 'https://vc', user: 'ann', trust: { ca: 'the authority' } } })
  const missing = await vcenters(`${access}ca = "other.pem"`).catch((error: unknown) => error)
  expect(FileNotFound.is(missing), String(missing)).toBe(true)
})

test('a thumbprint is trusted as it is, and without either the authorities of the system are', async () => {
  const thumbprint = 'ab'.repeat(32)
  expect((await vcenters(`${access}thumbprint = "${thumbprint}"`))[0]?.settings.trust).toEqual({ thumbprint })
  expect((await vcenters(access))[0]?.settings.trust).toEqual({})
})

test('a section without a URL names no vCenter', async () => {
  expect(await vcenters('folder = "workers"')).toEqual([])
})
