import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { crd } from './crd.ts'
import { kind } from './define-kind.ts'
import { Nest } from './nest.ts'
import { Secret } from './secret.ts'
import { thing } from './testing/thing.ts'

const nests = crd(Nest)
const [version] = nests.spec.versions
const spec = version!.schema.openAPIV3Schema.properties!['spec']!

test('a CRD is named after plural and group', () => {
  expect(nests).toMatchObject({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'nests.demo.aviary.dev' },
  })
  expect(nests.spec).toMatchObject({ group: 'demo.aviary.dev', scope: 'Namespaced' })
  expect(nests.spec.names).toEqual({ kind: 'Nest', listKind: 'NestList', plural: 'nests', singular: 'nest', categories: ['demo'] })
})

test('it has one version, served and stored, with status and scale', () => {
  expect(version).toMatchObject({ name: 'v1alpha1', served: true, storage: true })
  expect(version!.subresources).toEqual({ status: {}, scale: { specReplicasPath: '.spec.eggs', statusReplicasPath: '.status.hatched' } })
})

test('columns leave out the name, which every server prints by itself', () => {
  expect(version!.additionalPrinterColumns!.map(({ name, priority = 0 }) => [name, priority])).toEqual([
    ['Eggs', 0],
    ['Hatched', 0],
    ['Phase', 0],
    ['Material', 1],
    ['Age', 0],
  ])
})

test('fields that selectors may name are declared', () => {
  expect(version!.selectableFields).toEqual([{ jsonPath: '.spec.material' }])
})

test('defaults are in the schema, and a spec that can be empty is made', () => {
  expect(spec.default).toEqual({})
  expect(spec.properties!['eggs']).toMatchObject({ default: 1 })
})

describe('rules in CEL', () => {
  test('an immutable field is watched where it stands and where it would be missed', () => {
    expect(spec.properties!['site']!['x-kubernetes-validations']).toEqual([{ rule: 'self == oldSelf', message: 'field is immutable' }])
    expect(spec['x-kubernetes-validations']).toEqual([
      { rule: '!(has(oldSelf.site)) || (has(self.site))', message: 'field is immutable', fieldPath: '.site' },
    ])
  })

  const make = (shape: z.ZodObject, immutable: string) => kind({ ...thing, spec: shape, immutable: [immutable] })

  test('one that is required is watched only where it stands', () => {
    const schema = crd(make(z.object({ a: z.string() }), 'spec.a')).spec.versions[0]!.schema.openAPIV3Schema
    expect(schema['x-kubernetes-validations']).toBeUndefined()
    expect(schema.properties!['spec']!['x-kubernetes-validations']).toBeUndefined()
    expect(schema.properties!['spec']!.properties!['a']!['x-kubernetes-validations']).toHaveLength(1)
  })

  test('one inside of an optional object is missed from where something always is', () => {
    const schema = crd(make(z.object({ a: z.object({ b: z.string().optional() }).optional() }), 'spec.a.b')).spec.versions[0]!.schema
      .openAPIV3Schema
    expect(schema.properties!['spec']!['x-kubernetes-validations']).toEqual([
      {
        rule: '!(has(oldSelf.a) && has(oldSelf.a.b)) || (has(self.a) && has(self.a.b))',
        message: 'field is immutable',
        fieldPath: '.a.b',
      },
    ])
  })

  test('one that does not exist is a mistake of the author', () => {
    expect(() => crd(make(z.object({ a: z.string() }), 'spec.b'))).toThrow('a rule is about spec.b, but there is no such field')
  })
})

test('what every Kubernetes serves by itself has no CRD', () => {
  expect(() => crd(Secret)).toThrow('Secret is served by every Kubernetes')
})
