import fc from 'fast-check'
import { parse, stringify } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { tomlPositions } from './toml-positions.ts'
import type { ValuePath } from './toml-positions.ts'

const text = `# a comment with [brackets] and "quotes"
top = 1
[server]   # the first table
listen = "127.0.0.1:1" # [not.a.table]
  tls.names = [ "a", 'b', # one
    "c" ]

[[access.issuers]]
url = """
[server]
listen = 2
"""
[access.issuers.requiredClaims]
"hd \\u0041" = 'x'
[[access.issuers]]
audiences = [{ a = 1, b.c = [2] }, 2026-01-01 10:00:00]
after = '''it's''''
last = 'end'
`

describe('the place of a key', () => {
  const rows: readonly [ValuePath, number, number][] = [
    [['top'], 2, 1],
    [['server'], 3, 2],
    [['server', 'listen'], 4, 1],
    [['server', 'tls'], 5, 3],
    [['server', 'tls', 'names'], 5, 3],
    [['server', 'tls', 'names', 1], 5, 22],
    [['server', 'tls', 'names', 2], 6, 5],
    [['access', 'issuers'], 8, 3],
    [['access', 'issuers', 0, 'url'], 9, 1],
    [['access', 'issuers', 0, 'requiredClaims'], 13, 2],
    [['access', 'issuers', 0, 'requiredClaims', 'hd A'], 14, 1],
    [['access', 'issuers', 1], 15, 3],
    [['access', 'issuers', 1, 'audiences', 0, 'b', 'c', 0], 16, 30],
    [['access', 'issuers', 1, 'audiences', 1], 16, 36],
    [['access', 'issuers', 1, 'last'], 18, 1],
  ]
  test.each(rows)('%j is found', (path, line, column) => {
    expect(tomlPositions(text)(path)).toEqual({ line, column })
  })

  test('of a missing key is that of its table', () => {
    expect(tomlPositions(text)(['server', 'dataDir'])).toEqual({ line: 3, column: 2 })
  })

  test('is unknown if not even its table is there', () => {
    expect(tomlPositions(text)(['engine', 'kind'])).toBeUndefined()
  })
})

const word = fc.stringMatching(/^[a-z]{1,6}$/)
const leaf = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.string({ unit: 'grapheme' }).filter(s => !s.includes('\r')),
  fc.array(fc.string(), { maxLength: 3 }),
)
const { table } = fc.letrec<{ table: Record<string, unknown> }>(tie => ({
  table: fc.dictionary(
    fc.oneof(word, fc.string({ minLength: 1 })),
    fc.oneof({ maxDepth: 3 }, leaf, tie('table'), fc.array(tie('table'), { maxLength: 3 })),
    {
      maxKeys: 4,
      noNullPrototype: true,
    },
  ),
}))

test('every key that the parser finds is found, on a line that holds it', () => {
  fc.assert(
    fc.property(table, value => {
      const written = stringify(value)
      const positionOf = tomlPositions(written)
      const lines = written.split('\n')
      for (const path of keyPaths(parse(written))) {
        const at = positionOf(path)
        const key = String(path.findLast(part => typeof part === 'string'))
        expect(at).toBeDefined()
        if (/^[a-z]+$/.test(key)) expect(lines[at!.line - 1]).toContain(key)
      }
    }),
    { numRuns: 200 },
  )
})

function* keyPaths(value: unknown, path: ValuePath = []): Iterable<ValuePath> {
  if (typeof value !== 'object' || value === null || value instanceof Date) return
  for (const [key, inner] of Object.entries(value)) {
    const at = [...path, Array.isArray(value) ? Number(key) : key]
    if (!Array.isArray(value)) yield at
    yield* keyPaths(inner, at)
  }
}
