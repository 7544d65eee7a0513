import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { parse, textOf } from './repository.ts'

/** All that is loaded with a file, before anything runs: our own files by path, packages and parts of Node by name. */
function loadedWith(path: string, loaded = new Set<string>()): ReadonlySet<string> {
  if (loaded.has(path)) return loaded
  loaded.add(path)
  if (!path.endsWith('.ts')) return loaded
  for (const target of loadedBy(path)) {
    if (target.startsWith('.')) loadedWith(posix.join(posix.dirname(path), target), loaded)
    else loaded.add(target)
  }
  return loaded
}

/** What a file itself imports at once and not for its types only. */
function loadedBy(path: string): readonly string[] {
  const { module } = parse(path, textOf(path))
  const imported = module.staticImports.flatMap(({ moduleRequest, entries }) =>
    entries.length > 0 && entries.every(entry => entry.isType) ? [] : [moduleRequest.value],
  )
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(entry => (entry.isType || entry.moduleRequest === null ? [] : [entry.moduleRequest.value])),
  )
  return [...imported, ...exported]
}

const modulesIn = (loaded: ReadonlySet<string>) => new Set([...loaded].flatMap(path => /^src\/([^/]+)\//.exec(path)?.[1] ?? []))

test('a command that shows objects loads neither a server nor an engine of its own, nor libraries that it may not need', () => {
  const loaded = loadedWith('src/cli/commands/get.ts')
  expect(modulesIn(loaded)).toEqual(new Set(['cli', 'ports', 'kinds', 'store']))
  for (const heavy of ['yaml', 'undici', 'ws', 'fastify', 'pino', 'node:sqlite']) expect(loaded).not.toContain(heavy)
})

test('help and version load only the command line itself', () => {
  const loaded = loadedWith('src/cli/main.ts')
  for (const unused of ['node:v8', 'node:perf_hooks']) expect(loaded).not.toContain(unused)
  expect(modulesIn(loaded)).toEqual(new Set(['cli', 'ports']))
  expect(loaded).not.toContain('zod')
})

test('a server loads no service before the configuration has asked for it', () => {
  for (const start of ['src/server/index.ts', 'src/server/embedded/start-embedded.ts', 'src/server/kubernetes/start-on-kubernetes.ts']) {
    const modules = modulesIn(loadedWith(start))
    for (const service of ['hatchery', 'pools', 'vsphere', 'simulation']) expect(modules, start).not.toContain(service)
  }
})

test('nobody imports node:http for its values: as a module it brings web sockets and fetch along, which take long to load', () => {
  for (const start of ['src/cli/main.ts', 'src/cli/commands/get.ts', 'src/server/embedded/start-embedded.ts'])
    expect(loadedWith(start)).not.toContain('node:http')
})
