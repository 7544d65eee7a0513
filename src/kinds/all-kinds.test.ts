import { describe, expect, test } from 'vitest'
import { allKinds, findKind } from './all-kinds.ts'
import { evaluatePath } from './json-path.ts'
import { Nest } from './nest.ts'
import { Secret } from './secret.ts'
import type { StructuralSchema } from './structural-schema.ts'

/** The schema at a path of plain field names; undefined if there is none. */
function schemaAt(schema: StructuralSchema, path: string): StructuralSchema | undefined {
  return path.split('.').reduce<StructuralSchema | undefined>((inner, step) => inner?.properties?.[step], schema)
}

function undescribed(schema: StructuralSchema, path: string): string[] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    ...(field.description === undefined && name !== 'metadata' ? [`${path}.${name}`] : []),
    ...undescribed(field, `${path}.${name}`),
  ])
  return [...inner, ...(schema.items === undefined ? [] : undescribed(schema.items, `${path}[]`))]
}

describe.each(allKinds)('$name', kind => {
  test('describes every field for `kubectl explain`, in sentences', () => {
    expect(undescribed(kind.schema, kind.name)).toEqual([])
    expect(kind.description).toMatch(/^[A-Z].*\.$/s)
  })

  test('shows in its columns only what its schema knows', () => {
    for (const { path } of kind.columns) {
      expect(() => evaluatePath(path, {})).not.toThrow()
      const start = /^\.((?:\w+\.)*\w+)/.exec(path)![1]!
      if (!start.startsWith('metadata.')) expect(schemaAt(kind.schema, start), path).toBeDefined()
    }
  })

  test('names fields for selectors, locks and scale that are there and hold one value', () => {
    const scale = kind.scale === undefined ? [] : [kind.scale.specReplicasPath.slice(1), kind.scale.statusReplicasPath.slice(1)]
    const fields = kind.selectableFields.filter(field => !(kind.name === 'Event' && field === 'source'))
    for (const path of [...fields, ...scale]) expect(['string', 'integer', 'boolean'], path).toContain(schemaAt(kind.schema, path)?.type)
    for (const path of kind.immutable) expect(schemaAt(kind.schema, path), path).toBeDefined()
  })

  test('prints a value of the right sort in every column, even for an object that says nothing', () => {
    const object = { apiVersion: kind.apiVersion, kind: kind.name, metadata: { name: 'a' } }
    const types = kind.columns.flatMap(({ value }) => (value === undefined ? [] : [typeof value(object, 0)]))
    expect(types.filter(type => type !== 'string' && type !== 'number')).toEqual([])
  })

  test('has names that Kubernetes takes', () => {
    expect(kind.name).toMatch(/^[A-Z][A-Za-z]*$/)
    expect(kind.plural).toMatch(/^[a-z]+$/)
    expect(kind.version).toMatch(/^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/)
  })
})

test('no two kinds share a name or a path', () => {
  const names = allKinds.flatMap(({ group, name, plural }) => [`${group}/${name}`, `${group}/${plural}`])
  expect(new Set(names).size).toBe(names.length)
})

test('a kind is found by what an object says of itself', () => {
  expect(findKind(allKinds, 'demo.aviary.dev/v1alpha1', 'Nest')).toBe(Nest)
  expect(findKind(allKinds, 'v1', 'Secret')).toBe(Secret)
  expect(findKind(allKinds, 'v2', 'Secret')).toBeUndefined()
})
