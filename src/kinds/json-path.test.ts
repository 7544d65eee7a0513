import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { evaluatePath } from './json-path.ts'

const object = {
  metadata: { name: 'a', labels: { app: 'web', 'example.com/zone': 'north', "it's": 'quoted' } },
  spec: {
    size: 3,
    on: false,
    none: null,
    disks: [
      { name: 'root', gb: 10 },
      { name: 'data', gb: 200 },
    ],
    tags: ['x', 'y'],
  },
  status: {
    conditions: [
      { type: 'Ready', status: 'False', reason: 'Waiting' },
      { type: 'Healthy', status: 'True', reason: 'Fine' },
    ],
  },
}

const table: readonly (readonly [string, unknown])[] = [
  ['.spec.size', 3],
  ['{.spec.size}', 3],
  ['.spec.on', false],
  ['.spec.none', null],
  ['.spec.missing', undefined],
  ['.spec.missing.deeper', undefined],
  ['.spec.size.deeper', undefined],
  [".metadata.labels['app']", 'web'],
  ['.metadata.labels["example.com/zone"]', 'north'],
  ['.metadata.labels.example\\.com/zone', 'north'],
  [".metadata.labels['it\\'s']", 'quoted'],
  ['.spec.disks[0].name', 'root'],
  ['.spec.disks[-1].name', 'data'],
  ['.spec.disks[2].name', undefined],
  ['.spec.disks[*].name', 'root'],
  ['.spec.disks[*].missing', undefined],
  ['.spec.tags', ['x', 'y']],
  ['.spec.tags[1]', 'y'],
  ['.metadata.labels.*', 'web'],
  ['.status.conditions[?(@.type=="Ready")].status', 'False'],
  [".status.conditions[?(@.type=='Healthy')].reason", 'Fine'],
  ['.status.conditions[?( @.type == "Healthy" )].reason', 'Fine'],
  ['.status.conditions[?(@.type=="Gone")].status', undefined],
  ['.status.conditions[?(@.type!="Ready")].type', 'Healthy'],
  ['.spec.disks[?(@.gb>100)].name', 'data'],
  ['.spec.disks[?(@.gb<=10)].name', 'root'],
  ['.spec.disks[?(@.gb>="x")].name', undefined],
  ['.spec.disks[?(@.name)].gb', 10],
  ['.spec.constructor', undefined],
  ['.spec.size.toFixed', undefined],
]

test.each(table)('%s', (path, expected) => {
  expect(evaluatePath(path, object)).toEqual(expected)
})

describe('a path that cannot be read is refused', () => {
  test.each(['spec', '.spec[', '.spec[?(x)]', '.spec..size', '.spec[?(@.a==b)]', '.spec[x]'])('%s', path => {
    expect(() => evaluatePath(path, object)).toThrow('cannot read')
  })
})

test('whatever is asked of whatever, a readable path gives a value or nothing', () => {
  const step = fc.constantFrom('.a', '.b', '[0]', '[-1]', '[*]', '.*', "['a']", '[?(@.a==1)]', '[?(@.b)]')
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 5 }), fc.jsonValue(), (steps, value) => {
      expect(() => evaluatePath(steps.join(''), value)).not.toThrow()
    }),
  )
})
