import { dirname, resolve } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import { z } from 'zod'
import { Failure } from '../../ports/index.ts'
import type { Files } from '../../ports/index.ts'
import { ConfigNotValid } from '../errors.ts'
import { keyText, problemsOf } from './problem.ts'
import type { ConfigProblem, SchemaShape } from './problem.ts'
import type { Section } from './section.ts'
import { configSchema, sections } from './sections.ts'
import type { Config } from './sections.ts'
import { Pending, SettingsNotValid } from './setting.ts'
import type { Said, Surroundings } from './setting.ts'
import { tomlPositions } from './toml-positions.ts'
import type { Position, ValuePath } from './toml-positions.ts'
import { isPlainObject } from '../../kinds/index.ts'

/** A value from the command line, which wins over the file's. */
export interface Override {
  /** `server.listen` */
  readonly key: string
  readonly value: string
  /** What to call it in a message: `--listen`. */
  readonly from: string
}

/** Where a configuration comes from besides its file. */
export interface ConfigSources {
  readonly files: Files
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Where relative paths start that do not come from a file. Default: the working folder. */
  readonly folder?: string
  readonly overrides?: readonly Override[]
  /** Default: all sections there are. */
  readonly sections?: readonly Section[]
  /** Told what works, but perhaps not as the writer of the file thinks. */
  readonly warn?: (warning: ConfigProblem) => void
}

/**
 * Reads, checks and resolves the configuration: from a TOML file, or without one the defaults with the demo switched on.
 * Rejects with `ConfigNotValid`, which lists everything that is wrong, each with file, line, column and fix; with `FileNotFound`
 * or `FileNotReadable` if there is no such file. The result is frozen to the bottom.
 */
export async function loadConfig(path: string | undefined, sources: ConfigSources): Promise<Config> {
  const { config, problems, warnings } = await readConfig(path, sources)
  for (const warning of warnings) sources.warn?.(warning)
  if (config === undefined) throw ConfigNotValid({ file: path, problems })
  return config
}

/** Everything that is wrong with a configuration file; empty if it can be used. Rejects only if the file cannot be read. */
export async function checkConfig(path: string | undefined, sources: ConfigSources): Promise<readonly ConfigProblem[]> {
  const { problems, warnings } = await readConfig(path, sources)
  for (const warning of warnings) sources.warn?.(warning)
  return problems
}

interface Reading {
  readonly config: Config | undefined
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly ConfigProblem[]
}

async function readConfig(path: string | undefined, sources: ConfigSources): Promise<Reading> {
  const file = path === undefined ? undefined : resolve(path)
  const text = file === undefined ? demoOnly : await sources.files.read(file)
  const table = parseToml(text)
  if ('problem' in table) return { config: undefined, problems: [table.problem], warnings: [] }

  const input = withOverrides(withOwnNames(table.value), sources.overrides ?? [])
  const known: readonly Section[] = sources.sections ?? sections
  const schema = configSchema(known)
  const placeOf = places(file === undefined ? undefined : text, sources.overrides ?? [])
  const problems: ConfigProblem[] = []
  const warnings: ConfigProblem[] = []
  const report: Report = (at, problem) => problems.push(placeOf(at, problem))
  const here = sources.folder ?? process.cwd()
  const overridden = new Set(sources.overrides?.map(({ key }) => key))
  // A path in the file starts at the file; one that somebody typed starts where they are.
  const surroundings = (at: ValuePath): Surroundings => ({
    folder: file === undefined || overridden.has(keyText(at)) ? here : dirname(file),
    files: sources.files,
    environment: sources.environment,
    warn: said => void warnings.push(placeOf(...problemAt(at, said))),
  })
  const parsed = schema.safeParse(input)
  if (!parsed.success) {
    const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as SchemaShape
    for (const issue of parsed.error.issues) for (const { path: at, ...problem } of problemsOf(issue, input, root)) report(at, problem)
    // What the sections without such problems refer to is looked up all the same, so that everything is told at once.
    for (const { name, schema: section } of known) {
      const alone = section.prefault({}).safeParse(input[name])
      if (alone.success) await resolved(alone.data, [name], surroundings, report)
    }
    return { config: undefined, problems: problems.toSorted(byPosition), warnings: warnings.toSorted(byPosition) }
  }

  const config = await resolved(parsed.data, [], surroundings, report)
  const found = { problems: problems.toSorted(byPosition), warnings: warnings.toSorted(byPosition) }
  return { config: problems.length > 0 ? undefined : (config as Config), ...found }
}

/** What counts as the file if there is none. */
const demoOnly = '[demo]\nenabled = true\n'

function parseToml(text: string): { readonly value: Record<string, unknown> } | { readonly problem: ConfigProblem } {
  try {
    return { value: parse(text, { unsafeKeyBehaviour: 'throw' }) }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const message = (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '')
    return { problem: { key: 'syntax', message, position: { line: error.line, column: error.column } } }
  }
}

/** CDS does not care about case in names: its operators' files may say `[Hatchery.vSphere]`. */
function withOwnNames(table: Record<string, unknown>): Record<string, unknown> {
  const renamed = (from: Record<string, unknown>, name: string) =>
    Object.fromEntries(Object.entries(from).map(([key, value]) => [key.toLowerCase() === name ? name : key, value]))
  const top = renamed(table, 'hatchery')
  const { hatchery } = top
  return isPlainObject(hatchery) ? { ...top, hatchery: renamed(hatchery, 'vsphere') } : top
}

function withOverrides(table: Record<string, unknown>, overrides: readonly Override[]): Record<string, unknown> {
  const result = structuredClone(table)
  for (const { key, value } of overrides) {
    const parts = key.split('.')
    const last = parts.pop() as string
    let inner: Record<string, unknown> = result
    for (const part of parts) {
      // If the file has something else than a table here, the override replaces it: it wins anyway.
      if (typeof inner[part] !== 'object' || inner[part] === null) inner[part] = {}
      inner = inner[part] as Record<string, unknown>
    }
    inner[last] = value
  }
  return result
}

type Described = Omit<ConfigProblem, 'position'>

/** Adds to a problem where its value came from. */
function places(text: string | undefined, overrides: readonly Override[]): (path: ValuePath, problem: Described) => ConfigProblem {
  const positionOf = text === undefined ? () => undefined : tomlPositions(text)
  return (path, problem) => {
    if (path.length === 0) return problem
    const override = overrides.find(({ key }) => key === problem.key)
    if (override !== undefined) return { ...problem, key: override.from }
    const position: Position | undefined = positionOf(path)
    return position === undefined ? problem : { ...problem, position }
  }
}

function byPosition(a: ConfigProblem, b: ConfigProblem): number {
  return (a.position?.line ?? 0) - (b.position?.line ?? 0) || (a.position?.column ?? 0) - (b.position?.column ?? 0)
}

type Report = (path: ValuePath, problem: Described) => void
type SurroundingsOf = (path: ValuePath) => Surroundings

/** The same with every pending value made ready, frozen. */
async function resolved(value: unknown, path: ValuePath, surroundings: SurroundingsOf, report: Report): Promise<unknown> {
  if (value instanceof Pending) return await resolvedValue(value, path, surroundings, report)
  if (Array.isArray(value)) {
    return Object.freeze(await Promise.all(value.map((inner, index) => resolved(inner, [...path, index], surroundings, report))))
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(async ([key, inner]) => [key, await resolved(inner, [...path, key], surroundings, report)])
  return Object.freeze(Object.fromEntries(await Promise.all(entries)))
}

async function resolvedValue(value: Pending, path: ValuePath, surroundings: SurroundingsOf, report: Report): Promise<unknown> {
  try {
    return await value.resolve(surroundings(path))
  } catch (error) {
    if (error instanceof SettingsNotValid) for (const said of error.problems) report(...problemAt(path, said))
    else {
      const fix = error instanceof Failure ? error.fix : undefined
      report(path, { key: keyText(path), message: (error as Error).message, ...(fix === undefined ? {} : { fix }) })
    }
    return undefined
  }
}

/** Where something is that was said of a value, and how it is put. What does not come from the file has no place in it. */
function problemAt(at: ValuePath, { path = [], from, message, fix }: Said): [ValuePath, Described] {
  const whole = [...at, ...path]
  return [from === undefined ? whole : [], { key: from ?? keyText(whole), message, ...(fix === undefined ? {} : { fix }) }]
}
