import fc from 'fast-check'
import type { PlainTree } from './plain-tree.ts'

/** A document, and what a reader must make of it. */
export interface SampleDocument {
  readonly source: string
  readonly means: PlainTree
}

interface Piece {
  readonly source: string
  readonly means: string
}

const word = fc.stringMatching(/^[a-zA-Zé][\w.é-]{0,20}$/)
const prefix = fc.constantFrom('', 's:', 'vim25:', 'xsi-2:')
const space = fc.constantFrom('', '', ' ', '\n', '\t \r\n')
const gap = fc.constantFrom('', '', '\n  ', '<!-- a comment: <b> & -->', '<?an instruction?>', ' <![CDATA[ \n]]>')
const letters = fc.string({
  unit: fc.constantFrom('a', 'Z', ' ', '\n', '>', '"', "'", ';', ']]', 'é', '😀', '\u2028', 'x'.repeat(30)),
  maxLength: 8,
})

const names: ReadonlyMap<string, string> = new Map([
  ['<', 'lt'],
  ['>', 'gt'],
  ['&', 'amp'],
  ['"', 'quot'],
  ["'", 'apos'],
])
const reference = fc
  .tuple(fc.constantFrom('<', '>', '&', '"', "'", 'a', '\t', '\r', 'é', '\ufffd', '😀'), fc.nat(3))
  .map(([means, form]): Piece => {
    const code = means.codePointAt(0)!
    const named = names.get(means)
    const forms = [`#${code}`, `#x${code.toString(16)}`, `#x${code.toString(16).toUpperCase().padStart(6, '0')}`, named ?? `#${code}`]
    return { source: `&${forms[form]!};`, means }
  })
const asItIs = letters.map((text): Piece => ({ source: text, means: text }))
const section = fc
  .string({ unit: fc.constantFrom('<', '&', '>', 'a', 'é', ' ', '<b>', '<!--', '&amp;'), maxLength: 6 })
  .map((text): Piece => ({ source: `<![CDATA[${text}]]>`, means: text }))
const remark = fc.constantFrom('<!-- & < -->', '<?x y?>').map((source): Piece => ({ source, means: '' }))

const joined = (pieces: readonly Piece[]): Piece => ({
  source: pieces.map(piece => piece.source).join(''),
  means: pieces.map(piece => piece.means).join(''),
})
const content = fc
  .array(fc.oneof({ weight: 4, arbitrary: asItIs }, { weight: 2, arbitrary: reference }, section, remark), { maxLength: 5 })
  .map(joined)

const attribute = fc.record({
  quote: fc.constantFrom('"', "'"),
  before: fc.constantFrom(' ', '\n', '  '),
  equals: fc.constantFrom('=', ' = ', '=\n'),
})
const written = (name: string, value: string, { quote, before, equals }: { quote: string; before: string; equals: string }) =>
  `${before}${name}${equals}${quote}${value}${quote}`

const tag = fc.record({
  prefix,
  name: word,
  form: attribute,
  space,
  type: fc.option(word),
  of: fc.option(word),
  coded: fc.boolean(),
  other: fc.boolean(),
})

function element(
  { prefix: before, name, form, space: after, type, of, coded, other }: TagParts,
  inside: { readonly source: string; readonly text: string; readonly children: readonly PlainTree[] },
): SampleDocument {
  const attributes = [
    other ? written('xmlns:xsi', 'http://example.org/type?a=1&amp;b>2', form) : '',
    type === null ? '' : written('xsi:type', `${other ? 'y:' : ''}${type}`, form),
    of === null ? '' : written('type', coded ? `${of}&lt;` : of, form),
    other ? written('subtype', 'of no interest', form) : '',
  ].join('')
  const means = {
    name,
    type: type ?? undefined,
    of: of === null ? undefined : coded ? `${of}<` : of,
    text: inside.text,
    children: inside.children,
  }
  const start = `${before}${name}${attributes}${after}`
  if (inside.source === '' && coded) return { source: `<${start}/>`, means }
  return { source: `<${start}>${inside.source}</${before}${name}${after}>`, means }
}

interface TagParts {
  readonly prefix: string
  readonly name: string
  readonly form: { readonly quote: string; readonly before: string; readonly equals: string }
  readonly space: string
  readonly type: string | null
  readonly of: string | null
  readonly coded: boolean
  readonly other: boolean
}

/** Documents of all forms that a reader must understand, with what they mean. */
export const documents: fc.Arbitrary<SampleDocument> = fc
  .letrec<{ node: SampleDocument; leaf: SampleDocument; branch: SampleDocument }>(tie => ({
    node: fc.oneof({ depthSize: 'small', withCrossShrink: true }, tie('leaf'), tie('branch')),
    leaf: fc.tuple(tag, content).map(([parts, text]) => element(parts, { source: text.source, text: text.means, children: [] })),
    branch: fc.tuple(tag, fc.array(fc.tuple(tie('node'), gap), { minLength: 1, maxLength: 5 }), gap).map(([parts, nodes, first]) =>
      element(parts, {
        source: first + nodes.map(([{ source }, behind]) => source + behind).join(''),
        text: '',
        children: nodes.map(([{ means }]) => means),
      }),
    ),
  }))
  .node.map(({ source, means }) => ({ source: `<?xml version="1.0"?>\n<!-- first -->${source}\n<!-- last -->`, means }))
