import { isAbsolute, join } from 'node:path'
import { nearest, type Files } from '../../ports/index.ts'
import { type SettingProblem, settingName, type ValuePath } from './setting-problem.ts'

/** What settings are read from besides their table. */
export interface ReadingOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Where certificates and secrets are that the settings name by path. Without it none can be named so. */
  readonly files?: Files
  /** Where relative paths start. Default: where the program was started. */
  readonly folder?: string
  /** Where the table stands in its file. */
  readonly at: ValuePath
}

/** A value as it was found, before anybody looked at what it is. */
export interface Found {
  readonly value: unknown
  readonly at: ValuePath
  /** The environment variable that it came from. */
  readonly from?: string
}

/** All variables that may stand for a setting begin so. */
const variablePrefix = 'CDS_HATCHERY_VSPHERE_'

/** Keys whose variable may also be called as the original calls them inside: VSPHEREUSER. */
const prefixedInside = /^(user|endpoint|password|datacenterString|datastoreString|networkString|cardName)$/

/** One pass over a table: gathers what is wrong and what is to be said, and knows what the environment overrides. */
export class Reading {
  readonly problems: SettingProblem[] = []
  readonly warnings: SettingProblem[] = []
  readonly #options: ReadingOptions
  readonly #variables: ReadonlyMap<string, { readonly name: string; readonly value: string }>
  readonly #known = new Set<string>()

  constructor(options: ReadingOptions) {
    this.#options = options
    const own = Object.entries(options.environment).filter(([name]) => name.toUpperCase().startsWith(variablePrefix))
    this.#variables = new Map(own.map(([name, value]) => [name.toUpperCase(), { name, value: value ?? '' }]))
  }

  problem(found: Pick<Found, 'at' | 'from'>, message: string, fix?: string): void {
    this.problems.push(said(found, message, fix))
  }

  warn(found: Pick<Found, 'at' | 'from'>, message: string, fix?: string): void {
    this.warnings.push(said(found, message, fix))
  }

  /** The place of a setting, given by its names below the table: there, or the variable that overrides it. */
  at(...names: ValuePath): Found {
    const at = [...this.#options.at, ...names]
    const variable = this.#variable(variablesOf(names))
    return { value: undefined, at, ...(variable === undefined ? {} : { from: variable.name }) }
  }

  /** The same, or what the environment says instead. An empty variable says nothing. */
  overridden(found: Found): Found {
    const names = variablesOf(found.at.slice(this.#options.at.length))
    for (const name of names) this.#known.add(name)
    const variable = this.#variable(names)
    return variable === undefined ? found : { value: variable.value, at: found.at, from: variable.name }
  }

  #variable(names: readonly string[]): { readonly name: string; readonly value: string } | undefined {
    return names.map(name => this.#variables.get(name)).find(each => each !== undefined && each.value !== '')
  }

  /** The content of a file, or undefined after a problem was reported. */
  async file(found: Found, path: string): Promise<string | undefined> {
    const { files, folder } = this.#options
    if (files === undefined) {
      this.problem(found, 'files cannot be named here', 'write the value itself')
      return undefined
    }
    try {
      return await files.read(isAbsolute(path) || folder === undefined ? path : join(folder, path))
    } catch (error) {
      this.problem(found, error instanceof Error ? error.message : String(error), 'correct the path; a relative one starts at the file')
      return undefined
    }
  }

  variable(name: string): string | undefined {
    return this.#options.environment[name]
  }

  /** To be called when all is read: whoever misspells a variable learns it. */
  warnOfUnknownVariables(): void {
    for (const [key, { name }] of this.#variables) {
      if (this.#known.has(key)) continue
      const meant = nearest(key, [...this.#known])
      const fix = meant === undefined ? 'it is not used; docs/configuration.md lists the keys' : `did you mean ${meant}?`
      this.warn({ at: this.#options.at, from: name }, 'no setting is called so', fix)
    }
  }
}

function said({ at, from }: Pick<Found, 'at' | 'from'>, message: string, fix?: string): SettingProblem {
  return { path: at, ...(from === undefined ? {} : { from }), message, ...(fix === undefined ? {} : { fix }) }
}

/** How the variables of a setting may be called; the first one found counts. */
function variablesOf(path: ValuePath): readonly string[] {
  const called = (parts: ValuePath) => `${variablePrefix}${parts.join('_').toUpperCase()}`
  const [first, ...rest] = path
  if (first === 'commonConfiguration') return [called(path), called(rest)]
  return path.length === 1 && prefixedInside.test(String(first)) ? [called(path), called([`vsphere${first}`])] : [called(path)]
}

/** `hatchery.vsphere.user`, or the variable's name. */
export function nameOf({ path, from }: SettingProblem): string {
  return from ?? settingName(path)
}
