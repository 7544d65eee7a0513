import { LineCounter, parseDocument, stringify, visit } from 'yaml'
import type { Json } from '../kinds/index.ts'

/** A text that is not YAML, or more YAML than it pretends to be. */
export class YamlTextError extends Error {}

/**
 * Reads YAML 1.1, as Kubernetes does: `on` and `no` are truth values there. Keys that occur twice are told of, and the last one
 * counts.
 */
export function readYaml(text: string): { readonly value: Json; readonly complaints: readonly string[] } {
  const lines = new LineCounter()
  const document = parseDocument(text, { version: '1.1', uniqueKeys: false, merge: true, lineCounter: lines, stringKeys: true })
  const [problem] = document.errors
  if (problem !== undefined) throw new YamlTextError(problem.message.split('\n', 1)[0])
  return { value: asJson(() => document.toJS({ maxAliasCount: 100 }) as Json), complaints: duplicateKeys(document, lines) }
}

/** Writes a value as Kubernetes does: keys sorted, lists not indented. */
export function writeYaml(value: unknown): string {
  return stringify(value, { version: '1.1', sortMapEntries: true, indentSeq: false, lineWidth: 0, aliasDuplicateObjects: false })
}

/** Through JSON, so that nothing in it is shared, a date or otherwise more than JSON can say. */
function asJson(read: () => Json): Json {
  try {
    return JSON.parse(JSON.stringify(read())) as Json
  } catch (error) {
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
