import { expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { ConfigMap } from './config-map.ts'
import { kind } from './define-kind.ts'
import { Event } from './event.ts'
import type { Kind } from './kind.ts'
import { Nest } from './nest.ts'
import type { Draft, Resource } from './resource.ts'
import { thing } from './testing/thing.ts'

const named = { metadata: { name: 'a' } }

test('a kind says what it is called', () => {
  expect(Nest).toMatchObject({ apiVersion: 'demo.aviary.dev/v1alpha1', singular: 'nest', builtIn: false, hasStatus: true })
  expect(ConfigMap).toMatchObject({ apiVersion: 'v1', singular: 'configmap', builtIn: true, hasStatus: false })
})

test('a kind is frozen, and its schema is made once and frozen to the bottom', () => {
  expect(Object.isFrozen(Nest)).toBe(true)
  expect(Nest.schema).toBe(Nest.schema)
  expect(Object.isFrozen(Nest.schema.properties!['spec']!.properties!['eggs'])).toBe(true)
})

test('the schema is not made before somebody asks', () => {
  // A tuple has no structural form: making the schema throws.
  const broken = kind({ ...thing, spec: z.object({ a: z.tuple([z.string()]) }) })
  expect(() => broken.schema).toThrow('a CRD cannot express')
})

test('the name comes first, and the age is there if nothing else is said', () => {
  expect(kind(thing).columns.map(({ name }) => name)).toEqual(['Name', 'Age'])
  expect(Nest.columns.map(({ name }) => name)).toEqual(['Name', 'Eggs', 'Hatched', 'Phase', 'Material', 'Age'])
  expect(Event.columns[0]?.name).toBe('Last Seen')
})

test('a spec in which something must stand is required; one in which nothing must is made', () => {
  const demanding = kind({ ...thing, spec: z.object({ a: z.string() }) })
  const modest = kind({ ...thing, spec: z.object({ a: z.string().optional() }) })
  expect(demanding.schema.required).toEqual(['spec'])
  expect(modest.schema.required).toBeUndefined()
  expect(modest.schema.properties!['spec']!.default).toEqual({})
})

test('the type of objects follows from the schema', () => {
  expectTypeOf<Nest['spec']['eggs']>().toEqualTypeOf<number>()
  expectTypeOf<Nest['spec']['material']>().toEqualTypeOf<'twig' | 'moss' | 'down'>()
  expectTypeOf<Nest['spec']['site']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<NonNullable<Nest['spec']['guards']>[number]['name']>().toEqualTypeOf<string>()
  expectTypeOf<NonNullable<Nest['status']>['hatched']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<ConfigMap['data']>().toEqualTypeOf<{ readonly [key: string]: string } | undefined>()
  expectTypeOf<Event['involvedObject']['name']>().toEqualTypeOf<string | undefined>()
  // A list of kinds holds any kind.
  expectTypeOf(Nest).toExtend<Kind>()
})

test('a draft may leave out what defaults fill in, and nothing else', () => {
  const drafts: Draft<Nest>[] = [named, { ...named, spec: {} }, { ...named, spec: { guards: [{ name: 'x' }] } }]
  // @ts-expect-error a number is wanted
  drafts.push({ ...named, spec: { eggs: 'three' } })
  // @ts-expect-error there is no such field
  drafts.push({ ...named, spec: { egs: 3 } })
  // @ts-expect-error a guard has a name
  drafts.push({ ...named, spec: { guards: [{ post: 'x' }] } })
  const whole = (nest: Nest): Draft<Nest> => ({ ...nest, spec: { ...nest.spec, eggs: 3 } })
  const any = <R extends Resource>(object: R): Draft<R> => object
  expect([drafts.length, whole, any]).toHaveLength(3)
})
