import { LineCounter, parseDocument, stringify, visit, type YAMLParseError } from 'yaml'
import type { Json } from '../kinds/index.ts'
import { StoreError } from '../store/index.ts'
import { refuseManyValues } from './json-text.ts'

/** A text that is not YAML, or more YAML than it pretends to be. */
export class YamlTextError extends Error {}

/**
 * Reads YAML 1.1, as Kubernetes does: `on` and `no` are truth values there. Keys that occur twice are told of, and the last one
 * counts.
 */
export function readYaml(text: string): { readonly value: Json; readonly complaints: readonly string[] } {
  const lines = new LineCounter()
  const document = parse(text, lines)
  const [problem] = document.errors
  if (problem !== undefined) throw new YamlTextError(problemText(problem, lines))
  return { value: asJson(() => document.toJS({ maxAliasCount: 100 }) as Json), complaints: duplicateKeys(document, lines) }
}

/** Not with pretty errors: each would quote its line, which takes quadratic time if a long line is all mistakes. */
function parse(text: string, lines: LineCounter): ReturnType<typeof parseDocument> {
  return parseDocument(text, {
    version: '1.1',
    uniqueKeys: false,
    merge: true,
    lineCounter: lines,
    stringKeys: true,
    prettyErrors: false,
  })
}

function problemText({ message, pos }: YAMLParseError, lines: LineCounter): string {
  const { line, col } = lines.linePos(pos[0])
  return `${message} at line ${line}, column ${col}`
}

/** Writing block style takes as long per value as reading does. */
const maxBlockCharacters = 16 * 1024

/** Writes a value as Kubernetes does: keys sorted, lists not indented. A large one is written as JSON, which is YAML, too. */
export function writeYaml(value: unknown): string {
  const json = JSON.stringify(value)
  if (json.length > maxBlockCharacters) return `${json}\n`
  return stringify(value, { version: '1.1', sortMapEntries: true, indentSeq: false, lineWidth: 0, aliasDuplicateObjects: false })
}

/** Through JSON, so that nothing in it is shared, a date or otherwise more than JSON can say. */
function asJson(read: () => Json): Json {
  try {
    const value = read()
    // Before it is copied: aliases share what they stand for, the copy does not.
    refuseManyValues(value)
    return JSON.parse(JSON.stringify(value)) as Json
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw new YamlTextError((error as Error).message)
  }
}

function duplicateKeys(document: ReturnType<typeof parseDocument>, lines: LineCounter): readonly string[] {
  const found: string[] = []
  visit(document, {
    Map(_, map) {
      const seen = new Set<string>()
      for (const { key } of map.items) {
        const { value, range } = key as { value?: unknown; range?: readonly number[] }
        const name = String(value)
        if (seen.has(name)) found.push(`  line ${lines.linePos(range?.[0] ?? 0).line}: key ${JSON.stringify(name)} already set in map`)
        seen.add(name)
      }
    },
  })
  return found.length === 0 ? [] : [`yaml: unmarshal errors:\n${found.join('\n')}`]
}
