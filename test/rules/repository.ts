import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, type ParseResult } from 'oxc-parser'

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Folders that hold nothing of ours, wherever they are. */
const notOurs = new Set(['node_modules', '.git', '.install', '.vitest', 'coverage', 'results'])

/** Every file below a folder, as paths from the root with forward slashes, sorted. */
export function filesBelow(folder = '.'): string[] {
  const found: string[] = []
  const walk = (path: string) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const full = join(path, entry.name)
      if (entry.isFile()) found.push(relative(root, full).split(sep).join('/'))
      if (entry.isDirectory() && !notOurs.has(entry.name) && full !== join(root, 'data')) walk(full)
    }
  }
  try {
    walk(join(root, folder))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return found.toSorted()
}

/** TypeScript files below folders. */
export function typeScriptBelow(...folders: readonly string[]): string[] {
  return folders.flatMap(folder => filesBelow(folder)).filter(path => path.endsWith('.ts'))
}

/** The text of a file. */
export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** What a file imports and exports, with its comments. */
export function parse(path: string, text = textOf(path)): ParseResult {
  return parseSync(path, text)
}
