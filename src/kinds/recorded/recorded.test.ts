import { describe, expect, test } from 'vitest'
import { allKinds } from '../all-kinds.ts'
import { decode } from '../decode/decode.ts'
import type { Kind } from '../kind.ts'
import type { FieldProblem } from '../field-problem.ts'
import type { Json } from '../resource.ts'
import { updateProblems } from '../update-problems.ts'
import answers from './answers.json' with { type: 'json' }
import { cases } from './cases.ts'
import { Specimen } from '../testing/specimen.ts'

/** What kube-apiserver 1.35.4 said to a case, with our CRDs installed. */
interface Answer {
  /** The object without apiVersion, kind and metadata. */
  readonly accepted?: unknown
  /** `field: message (reason)`, sorted. */
  readonly refused?: readonly string[]
  readonly unknown?: readonly string[]
}

const kinds: readonly Kind[] = [...allKinds, Specimen]
const recorded = answers as unknown as Readonly<Record<string, Answer>>

describe('decode answers as a real API server does', () => {
  test.each(cases)('$kind: $name', ({ name, kind: kindName, object, old }) => {
    const kind = kinds.find(one => one.name === kindName)!
    const decoded = decode(kind, inDefault(kind, object))
    const problems = [...decoded.problems]
    if (old !== undefined) problems.push(...updateProblems(kind, decode(kind, old).object, decoded.object))

    const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...rest } = decoded.object
    const answer: Answer = problems.length > 0 ? { refused: texts(problems) } : { accepted: rest }
    const unknown = decoded.unknownFields.length > 0 && old === undefined ? { unknown: decoded.unknownFields } : {}
    expect({ ...answer, ...unknown }).toEqual(recorded[name])
  })
})

test('every recorded answer belongs to a case', () => {
  expect(Object.keys(recorded)).toEqual(cases.map(({ name }) => name))
})

/** The server takes the namespace from the URL. */
function inDefault(kind: Kind, object: Json): Json {
  const { metadata, ...rest } = object as { readonly metadata: { readonly [field: string]: Json } }
  return kind.scope === 'Cluster' ? object : { ...rest, metadata: { ...metadata, namespace: 'default' } }
}

function texts(problems: readonly FieldProblem[]): readonly string[] {
  return [...new Set(problems.map(({ path, message, reason }) => `${path}: ${message} (${reason})`))].toSorted()
}
