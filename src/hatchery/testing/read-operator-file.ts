import { parse } from 'smol-toml'
import { expect } from 'vitest'
import { memoryFiles } from '../../ports/index.ts'
import { hatcherySettings, type SettingsRead } from '../config/hatchery-settings.ts'
import { nameOf } from '../config/reading.ts'
import type { SettingProblem } from '../config/setting-problem.ts'
import type { HatcherySettings } from '../settings.ts'
import { operatorFile } from './operator-file.ts'

type Environment = Readonly<Record<string, string>>
type Parts = Parameters<typeof operatorFile>[0]

/** Reads a whole file. Paths in it start at /etc. */
export async function readFile(toml: string, environment: Environment = {}, files: Record<string, string> = {}): Promise<SettingsRead> {
  const { hatchery } = parse(toml) as { hatchery: { vsphere: Record<string, unknown> } }
  return await hatcherySettings(hatchery.vsphere, { environment, files: memoryFiles(files), folder: '/etc' })
}

/** The settings of a file that is good. */
export async function settingsOf(parts: Parts = {}, environment: Environment = {}): Promise<HatcherySettings> {
  const { settings, problems } = await readFile(operatorFile(parts), environment)
  expect(problems).toEqual([])
  return settings!
}

/** What is wrong with a file, a line each. */
export async function problemsOf(parts: Parts, environment: Environment = {}): Promise<readonly string[]> {
  return (await readFile(operatorFile(parts), environment)).problems.map(problemLine)
}

/** What is to be said of a file, a line each. */
export async function warningsOf(parts: Parts, environment: Environment = {}): Promise<readonly string[]> {
  return (await readFile(operatorFile(parts), environment)).warnings.map(problemLine)
}

/** `maxCpus: message; fix` */
export function problemLine(problem: SettingProblem): string {
  const name = nameOf(problem).replace(/^hatchery\.vsphere\.?/, '')
  return `${name}: ${problem.message}${problem.fix === undefined ? '' : `; ${problem.fix}`}`
}
