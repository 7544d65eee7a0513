import { expect, test } from 'vitest'
import { memoryFiles } from '../../ports/index.ts'
import { loadConfig } from './load-config.ts'
import { showConfig } from './show-config.ts'

test('a configuration is shown as a file that gives the same configuration again, but for its secrets', async () => {
  const toml = '[server]\nstopTimeout = "90s"\n[server.tls]\ncertificate = "c.pem"\nkey = "BEGIN PRIVATE KEY"'
  const config = await loadConfig('/c.toml', { files: memoryFiles({ '/c.toml': toml }), environment: {} })
  const shown = await showConfig(config)
  expect(shown).not.toContain('PRIVATE')
  expect(shown).toContain('key = "***"')
  expect(shown).toContain('stopTimeout = "1m30s"')
  expect(shown).toContain('certificate = "/c.pem"')
  const again = await loadConfig('/d.toml', { files: memoryFiles({ '/d.toml': shown }), environment: {} })
  expect(await showConfig(again)).toBe(shown)
})
