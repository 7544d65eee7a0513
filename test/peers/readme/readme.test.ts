import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellBlocks } from '../../docs/shell-blocks.ts'
import { filesBelow, root, textOf } from '../../rules/repository.ts'
import { nodes, oldNode, start } from '../commands/copy.ts'
import { freePorts } from '../free-ports.ts'
import { usePeer } from '../peer.ts'

const blocks = shellBlocks(textOf('README.md'))
const commands = (mark: string) => blocks.filter(block => block.mark === mark).map(block => block.commands.trim())

/** The one for which most is to be done. */
const node = nodes().at(-1)

let base: string
let folder: string
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'aviary-readme-'))
  folder = join(base, 'aviary')
  mkdirSync(join(base, 'home'))
  for (const path of filesBelow()) cpSync(join(root, path), join(folder, path))
  const { npm_execpath: _, XDG_CACHE_HOME: __, KUBECONFIG: ___, ...inherited } = process.env
  env = {
    ...inherited,
    HOME: join(base, 'home'),
    PATH: [node?.folder, dirname(await usePeer('kubectl')), inherited['PATH']].join(delimiter),
  }
})
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 3 }))

test('what the README says works on a new machine with an empty HOME, from the first command to Ctrl-C', async () => {
  const [npmStart = ''] = commands('start')
  expect(npmStart).toBe('npm start')
  expect(commands('running')).not.toHaveLength(0)
  const [port] = await freePorts(1)
  const aviary = start('npm', ['start', '--', '--listen', `127.0.0.1:${port}`], folder, env)
  try {
    await aviary.printed('ready https://')
    for (const block of commands('running')) {
      const { status, stdout, stderr } = spawnSync('bash', ['-euxc', block], { cwd: folder, env, encoding: 'utf8', timeout: 60_000 })
      expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' })
    }
  } finally {
    aviary.interrupt()
  }
  const { code, signal, stderr } = await aviary.ended
  expect(stderr).not.toMatch(/error/i)
  // Some shells that npm uses end by the signal although what they ran ended well.
  expect(code === 0 || signal === 'SIGINT').toBe(true)
})

test.skipIf(oldNode() === undefined)('that machine has a Node that is too old for Aviary (skipped where the PATH has none)', () => {
  expect(node).toEqual(oldNode())
})
