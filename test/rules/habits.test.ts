import { expect, test } from 'vitest'
import { isHeavy, table } from '../peers/table.ts'
import { filesBelow, textOf } from './repository.ts'

const binary = /\.(png|ico|woff2?|gz|zip|db)$/
const ours = filesBelow().filter(path => !binary.test(path))

test('no file is longer than 500 lines', () => {
  const code = ours.filter(path => /\.(ts|tsx|mjs|go|sh)$/.test(path))
  expect(code.length).toBeGreaterThan(50)
  expect(code.filter(path => textOf(path).split('\n').length > 501)).toEqual([])
})

test('files are named in kebab-case, and none is a collection of helpers', () => {
  const code = ours.filter(path => /\.(ts|tsx|mjs)$/.test(path))
  const plain = /^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)*[a-z0-9]+(?:-[a-z0-9]+)*(?:(?:\.long)?\.test|\.config)?\.(?:ts|tsx|mjs)$/
  expect(code.filter(path => !plain.test(path))).toEqual([])
  expect(code.filter(path => /(?:^|\/|-)(?:utils?|helpers?|common|misc)(?:\.|\/|-)/.test(path))).toEqual([])
})

test('no file knows the machine or the registry it was written with', () => {
  // In pieces, so that this file does not find itself.
  const words = [
    ...['work', 'root', 'tmp/peers'].map(folder => `(?<![\\w.-])/${folder}/`),
    ...['registry.npmjs', 'proxy.golang', 'files.pythonhosted', 'pypi', 'deb.debian'].map(host => `${host.replace('.', '\\.')}\\.org`),
  ]
  const pattern = new RegExp(words.join('|'))
  expect(pattern.test(['see ', 'work', 'main'].join('/'))).toBe(true)
  expect(
    ours.flatMap(path =>
      textOf(path)
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])),
    ),
  ).toEqual([])
})

test('the lock file names versions and checksums, and no place they came from', () => {
  const packages: Record<string, { resolved?: string; integrity?: string; link?: boolean }> = JSON.parse(
    textOf('package-lock.json'),
  ).packages
  const entries = Object.entries(packages).filter(([path]) => path !== '')
  expect(entries.length).toBeGreaterThan(50)
  expect(entries.filter(([, entry]) => entry.resolved !== undefined || entry.integrity === undefined).map(([path]) => path)).toEqual([])
})

test('CI runs what everybody runs', () => {
  const commands = textOf('.ci/run')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
  expect(commands).toEqual(['set -eu', 'cd "$(dirname "$0")/.."', 'npm test'])
})

test('nobody commits a test that is left out or runs alone', () => {
  const pattern = /\b(?:test|it|describe)\.(?:skip|only|todo|fails)\b/
  expect(ours.filter(path => path.endsWith('.test.ts') && path !== 'test/rules/habits.test.ts' && pattern.test(textOf(path)))).toEqual([])
})

test('every peer test belongs to exactly one group, and every group has its tests and peers', () => {
  const listed = table.groups.flatMap(group => group.tests)
  expect(listed.toSorted()).toEqual(filesBelow('test/peers').filter(path => path.endsWith('.test.ts')))
  const peers = new Set(table.peers.map(peer => peer.name))
  expect(table.groups.flatMap(group => group.peers).filter(name => !peers.has(name))).toEqual([])
  const used = new Set(table.groups.flatMap(group => group.peers))
  const benchmarks = filesBelow('bench')
    .filter(path => path.endsWith('.ts'))
    .map(textOf)
  expect([...peers].filter(name => !used.has(name) && !benchmarks.some(text => text.includes(`'${name}'`)))).toEqual([])
  expect(new Set(table.groups.map(group => group.name)).size).toBe(table.groups.length)
  expect(table.groups.every(group => typeof isHeavy(group) === 'boolean')).toBe(true)
})

test('the changelog has a place for what comes next, and says what this version brings', () => {
  const changelog = textOf('CHANGELOG.md')
  const { version } = JSON.parse(textOf('package.json'))
  expect(changelog).toMatch(/^## \[Unreleased\]/m)
  expect(changelog).toContain(version)
})
