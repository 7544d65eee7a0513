import type { Json } from '../resource.ts'

/** One object to be created, or a change of one. */
export interface Case {
  readonly name: string
  readonly kind: 'Nest' | 'Specimen' | 'ConfigMap' | 'Secret' | 'Lease' | 'Namespace' | 'Event'
  /** What is sent, without apiVersion and kind. */
  readonly object: Json
  /** If it is an update: what was there before. */
  readonly old?: Json
}

const named = { metadata: { name: 'one' } }
const uid = '8a6e0804-2bd0-4672-b79d-d97027f9071a'

function nest(name: string, spec: Json): Case {
  return { name, kind: 'Nest', object: { ...named, spec } }
}

function specimen(name: string, spec: { readonly [field: string]: Json }): Case {
  return { name, kind: 'Specimen', object: { ...named, spec: { must: 'be', ...spec } } }
}

function meta(name: string, metadata: { readonly [field: string]: Json }, kind: Case['kind'] = 'Nest'): Case {
  return { name, kind, object: { metadata: { name: 'one', ...metadata } } }
}

function change(name: string, old: { readonly [field: string]: Json }, next: { readonly [field: string]: Json }): Case {
  return { name, kind: 'Specimen', object: { ...named, spec: { must: 'be', ...next } }, old: { ...named, spec: { must: 'be', ...old } } }
}

/** Objects good and bad, each of which a real API server was asked about; its answers are in `answers.json`. */
export const cases: readonly Case[] = [
  nest('a nest with nothing said', {}),
  { name: 'a nest without a spec', kind: 'Nest', object: named },
  nest('too few eggs', { eggs: -1 }),
  nest('too many eggs', { eggs: 13 }),
  nest('eggs as a text', { eggs: 'three' }),
  nest('eggs as a fraction', { eggs: 1.5 }),
  nest('eggs as a list', { eggs: [1] }),
  nest('eggs as an object', { eggs: { a: 1 } }),
  nest('eggs as truth', { eggs: true }),
  nest('no eggs, said with null', { eggs: null }),
  nest('an unknown material', { material: 'straw' }),
  nest('a material of the wrong type', { material: 3 }),
  nest('an empty site', { site: '' }),
  nest('a site that is too long', { site: 'x'.repeat(254) }),
  nest('a bad duration', { incubation: '1 day' }),
  nest('a long bad duration', { incubation: 'x'.repeat(65) }),
  nest('guards with a name twice', { guards: [{ name: 'a' }, { name: 'a', post: 'x' }, { name: 'a' }, { name: 'b' }, { name: 'b' }] }),
  nest('guards without names', { guards: [{}, { post: 'x' }] }),
  nest('guards with unknown fields', { guards: [{ name: 'a', x: 1, y: { z: 1 } }] }),
  nest('guards that are texts', { guards: ['a', { name: 'b' }] }),
  nest('a guard that is null', { guards: [null, { name: 'b' }] }),
  nest('guards as an object', { guards: { name: 'a' } }),
  nest('paused as a text', { paused: 'true' }),
  nest('an unknown field', { flavr: 'x', eggs: 2 }),
  { name: 'a spec that is a list', kind: 'Nest', object: { ...named, spec: [1] } },
  { name: 'a spec that is a text', kind: 'Nest', object: { ...named, spec: 'x' } },
  { name: 'a spec that is null', kind: 'Nest', object: { ...named, spec: null } },
  { name: 'an unknown field at the top', kind: 'Nest', object: { ...named, spce: { eggs: 1 }, extra: 1 } },

  specimen('the smallest specimen', {}),
  { name: 'a required field is missing', kind: 'Specimen', object: { ...named, spec: {} } },
  { name: 'a required spec is missing', kind: 'Specimen', object: named },
  { name: 'a required field is null', kind: 'Specimen', object: { ...named, spec: { must: null } } },
  specimen('a text that is too short', { text: 'a' }),
  specimen('a text that is too long', { text: 'abcdef' }),
  specimen('a text too long by characters of two units', { text: '😀😀😀' }),
  specimen('a text that does not match', { text: 'ABC' }),
  specimen('a text with marks that need escapes', { text: 'a"\\\n' }),
  specimen('a count that is too small', { count: 0 }),
  specimen('a count that is too large', { count: 11 }),
  specimen('a whole number with a point', { count: 3.0 }),
  specimen('a ratio at its lower end', { ratio: 0 }),
  specimen('a ratio at its upper end', { ratio: 1 }),
  specimen('a ratio as a text', { ratio: '0.5' }),
  specimen('a good ratio', { ratio: 0.25 }),
  specimen('not a multiple', { step: 7 }),
  specimen('an unknown choice', { choice: 'c' }),
  specimen('a choice that may not be null', { choice: null }),
  specimen('truth as a number', { yes: 1 }),
  specimen('a good moment', { at: '2026-11-15T23:21:43.123456+01:00' }),
  specimen('a moment without a zone', { at: '2026-11-15T23:21:43' }),
  specimen('a day that does not exist', { at: '2026-02-30T00:00:00Z' }),
  specimen('a moment that is a number', { at: 5 }),
  specimen('a moment that is a fraction', { at: 5.5 }),
  specimen('a moment that is truth', { at: true }),
  specimen('a moment that is an object', { at: { a: 1 } }),
  specimen('good base64', { blob: 'aGVsbG8=' }),
  specimen('a good duration', { lasts: '1h30m' }),
  specimen('a number or a text: a number', { either: 5 }),
  specimen('a number or a text: a text', { either: '50%' }),
  specimen('a number or a text: truth', { either: true }),
  specimen('a number or a text: a fraction', { either: 1.5 }),
  specimen('null where it is allowed', { maybe: null, maybeMade: null }),
  specimen('null where there is a default', { filled: null }),
  specimen('a map with too many entries', { texts: { a: '1', b: '2', c: '3' } }),
  specimen('a map with too few entries', { texts: {} }),
  specimen('a map with a number in it', { texts: { a: 1 } }),
  specimen('a map with null in it', { texts: { a: 'x', b: null } }),
  specimen('a set with repeats', { tags: ['a', 'b', 'a'] }),
  specimen('a set with too many', { tags: ['a', 'b', 'c', 'd'] }),
  specimen('a set with too few', { tags: [] }),
  specimen('points at the same place by default', { points: [{ y: 1 }, { x: 0, y: 1 }, { x: 1, y: 1 }] }),
  specimen('an object gets its defaults only if it is there', { deep: {} }),
  specimen('an object that is always there', { made: { b: 'x' } }),
  specimen('items get their defaults', { items: [{ name: 'a' }, { name: 'b', size: 2 }] }),
  specimen('items with unknown fields and nulls', { items: [{ name: 'a', x: 1, size: null }] }),
  specimen('loose objects keep what they do not know', { loose: { known: 1, other: { a: null, b: [1, null] } } }),
  specimen('loose objects check what they know', { loose: { known: 'x', other: 1 } }),
  specimen('anything at all', { anything: [1, 'a', { b: null }] }),
  specimen('anything, even null', { anything: null }),
  specimen('lists of anything', { anythings: [1, null, { a: null }] }),
  specimen('fields of any kind', { anyFields: { a: null, b: { c: 1 } } }),
  specimen('fields of any kind, as a list', { anyFields: [1] }),
  specimen('a list in a list', {
    matrix: [
      [1, 2],
      [3, 'x'],
    ],
  }),
  specimen('null in a list in a list', { matrix: [null, [null]] }),
  specimen('entries of a map get their defaults', { byName: { a: {}, b: { size: 2, x: 1 } } }),
  specimen('a rule that spans fields', { count: 5, limit: 3 }),
  specimen('a rule about one field', { small: 13 }),
  specimen('a rule and a bound', { count: 11, limit: 3 }),
  specimen('a rule that is not reached', { count: 5, limit: 3, choice: 'c' }),

  meta('a name in capitals', { name: 'One' }),
  meta('a name that is too long', { name: 'x'.repeat(254) }),
  { name: 'no name at all', kind: 'Nest', object: { metadata: {} } },
  { name: 'a generated name', kind: 'Nest', object: { metadata: { generateName: 'egg-' } } },
  meta('a label value with a blank', { labels: { a: 'x y' } }),
  meta('a label value that is too long', { labels: { a: 'x'.repeat(64) } }),
  meta('a label key with a blank', { labels: { 'a b': 'x' } }),
  meta('a label key with a bad prefix', { labels: { 'A_b/c': 'x' } }),
  meta('a label key with an empty prefix', { labels: { '/c': 'x' } }),
  meta('a label key with an empty name', { labels: { 'a.b/': 'x' } }),
  meta('a label key with two slashes', { labels: { 'a/b/c': 'x' } }),
  meta('a label key that is too long', { labels: { ['x'.repeat(64)]: 'x' } }),
  meta('good labels', { labels: { 'example.com/Some_Name': 'A.b-c_d', plain: '' } }),
  meta('an annotation with a bad key', { annotations: { 'a b': 'x' } }),
  meta('annotations that are too long', { annotations: { a: 'x'.repeat(262_144) } }),
  meta('a finalizer with a blank', { finalizers: ['a b'] }),
  meta('finalizers that exclude each other', { finalizers: ['orphan', 'foregroundDeletion'] }),
  meta('an owner without a version', { ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] }),
  meta('an event as owner', { ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'e', uid }] }),
  meta('two controllers', {
    ownerReferences: [
      { apiVersion: 'v1', kind: 'Node', name: 'a', uid, controller: true },
      { apiVersion: 'v1', kind: 'Node', name: 'b', uid: uid.replace('8', '9'), controller: true },
    ],
  }),
  meta('an owner of whom nothing is said', { ownerReferences: [{ name: 'a' }] }),
  meta('an owner twice', {
    ownerReferences: [
      { apiVersion: 'v1', kind: 'Node', name: 'a', uid },
      { apiVersion: 'v1', kind: 'Node', name: 'a', uid },
    ],
  }),
  meta('a finalizer twice', { finalizers: ['a.b/c', 'a.b/c'] }),
  meta('unknown fields of an owner', { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'a', uid, colour: 'red' }] }),
  meta('unknown fields of metadata', { colour: 'red' }),

  change('a locked field is changed', { locked: 'a' }, { locked: 'b' }),
  change('a locked field is removed', { locked: 'a' }, {}),
  change('a locked field is set for the first time', {}, { locked: 'a' }),
  change('a locked field stays', { locked: 'a' }, { locked: 'a', text: 'abc' }),
  change('a locked field inside is changed', { lockedInside: { key: 'a' } }, { lockedInside: { key: 'b' } }),
  change('a locked field inside is removed with all around it', { lockedInside: { key: 'a' } }, {}),
  change('a rule about the change', { limit: 5 }, { limit: 4 }),
  change('a rule about the change, obeyed', { limit: 5 }, { limit: 6 }),

  { name: 'a namespace with a dot', kind: 'Namespace', object: { metadata: { name: 'a.b' } } },
  { name: 'a namespace in capitals', kind: 'Namespace', object: { metadata: { name: 'A' } } },
  {
    name: 'config keys that are no file names',
    kind: 'ConfigMap',
    object: { ...named, data: { 'a b': 'x', '..': 'y', '..z': 'y', '.': 'x' } },
  },
  { name: 'a finalizer of nobody', kind: 'ConfigMap', object: { metadata: { name: 'one', finalizers: ['x', 'kubernetes', 'a.dev/b'] } } },
  { name: 'config keys in both maps', kind: 'ConfigMap', object: { ...named, data: { a: 'x' }, binaryData: { a: 'aGk=' } } },
  { name: 'a config map that is too large', kind: 'ConfigMap', object: { ...named, data: { a: 'x'.repeat(1_048_577) } } },
  {
    name: 'a locked config map is changed',
    kind: 'ConfigMap',
    old: { ...named, immutable: true, data: { a: '1' } },
    object: { ...named, immutable: true, data: { a: '2' } },
  },
  {
    name: 'a locked config map is unlocked',
    kind: 'ConfigMap',
    old: { ...named, immutable: true },
    object: { ...named, immutable: false },
  },
  { name: 'a secret gets a type', kind: 'Secret', object: { ...named, data: { a: 'aGk=' } } },
  { name: 'secret keys that are no file names', kind: 'Secret', object: { ...named, data: { 'a b': 'aGk=' } } },
  {
    name: 'plain texts of a secret win over its data',
    kind: 'Secret',
    object: { ...named, data: { a: 'aGk=', b: 'aGo=' }, stringData: { b: 'hé', c: '' } },
  },
  { name: 'a secret with no plain texts', kind: 'Secret', object: { ...named, stringData: {} } },
  { name: 'plain texts whose names are no file names', kind: 'Secret', object: { ...named, stringData: { 'a b': 'hi' } } },
  { name: 'plain texts that are too large', kind: 'Secret', object: { ...named, stringData: { a: 'x'.repeat(1_048_577) } } },
  { name: 'a secret of another type', kind: 'Secret', old: { ...named, type: 'a' }, object: { ...named, type: 'b' } },
  {
    name: 'a locked secret is changed',
    kind: 'Secret',
    old: { ...named, immutable: true, data: { a: 'aGk=' } },
    object: { ...named, immutable: true, data: { a: 'aGo=' } },
  },
  { name: 'a lease of no length', kind: 'Lease', object: { ...named, spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } } },
  { name: 'a lease without a holder', kind: 'Lease', object: { ...named, spec: { holderIdentity: '' } } },
  {
    name: 'a good lease',
    kind: 'Lease',
    object: { ...named, spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2026-11-15T23:21:43.123456Z' } },
  },
  {
    name: 'an event of another namespace',
    kind: 'Event',
    object: { ...named, involvedObject: { kind: 'Nest', namespace: 'elsewhere', name: 'a' } },
  },
  {
    name: 'a new-style event that says too little',
    kind: 'Event',
    object: {
      ...named,
      involvedObject: { kind: 'Nest', namespace: 'default', name: 'a' },
      eventTime: '2026-11-15T23:21:43.123456Z',
      message: 'x'.repeat(1025),
    },
  },
]
