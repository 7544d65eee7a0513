import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { beforeAll, describe, expect, test } from 'vitest'
import { allKinds, crd, decode, findKind, type Kind } from '../../../src/kinds/index.ts'
import { usePeer } from '../peer.ts'
import { hiveManifests } from './hive-manifests.ts'
import { type Schema, schemaDifferences } from './schema-differences.ts'

// What Hive's own CRDs accept, ours accept; where not, the table says why. Its samples and the manifests of its pages are read as they are.

const kinds = allKinds.filter(({ group }) => group === 'hive.openshift.io')

/** Differences that are meant, by what they look like, each with its reason. */
const meant: readonly { readonly at: RegExp; readonly why: string }[] = [
  {
    at: /^ClusterPool spec\.inventory: array there, object here$/,
    why: 'the inventory is the object of the specification; the embedded engine takes the list form and brings it into this one',
  },
  {
    at: /(Ref|Customization)\.name: must be there$/,
    why: 'a reference without a name refers to nothing: Hive takes it and fails later',
  },
  {
    at: /^\w+ status\.conditions\[\]\.(reason|message|lastTransitionTime): must be there$/,
    why: 'every condition here says why and since when; conditions are written by controllers only',
  },
  {
    at: /^\w+ status\.conditions\[\]\.(lastProbeTime|lastHeartbeatTime): not here$/,
    why: 'a time that moves without anything having happened would be a write without end',
  },
  { at: /^\w+ status\.conditions\[\]\.status: takes certain values only$/, why: 'True, False or Unknown, as everywhere' },
  { at: /^ClusterClaim spec\.subjects\[\]\.kind: takes certain values only$/, why: 'User, Group or ServiceAccount: RBAC knows no others' },
  {
    at: /^ClusterDeploymentCustomization spec\.installConfigPatches\[\]\.op: takes certain values only$/,
    why: 'the operations of RFC 6902; Hive takes others and fails when it applies them',
  },
  { at: /^ClusterProvision spec\.stage: takes certain values only$/, why: 'the four stages; Hive refuses others by its webhook' },
]

let folder: string
beforeAll(async () => {
  folder = join(await usePeer('hive'), '..')
})

const definitionOf = ({ plural }: Kind) =>
  parse(readFileSync(join(folder, `hive.openshift.io_${plural}.yaml`), 'utf8')) as {
    readonly spec: {
      readonly scope: string
      readonly names: { readonly kind: string; readonly plural: string; readonly shortNames?: readonly string[] }
      readonly versions: readonly {
        readonly name: string
        readonly subresources?: { readonly scale?: object; readonly status?: object }
        readonly schema: { readonly openAPIV3Schema: { readonly properties: Readonly<Record<string, Schema>> } }
        readonly additionalPrinterColumns?: readonly { readonly name: string }[]
      }[]
    }
  }

function differencesOf(kind: Kind): readonly string[] {
  const theirs = definitionOf(kind).spec.versions[0]!.schema.openAPIV3Schema.properties
  const ours = kind.schema.properties as Readonly<Record<string, Schema>>
  return ['spec', 'status'].flatMap(part => schemaDifferences(theirs[part] ?? {}, ours[part], part)).map(each => `${kind.name} ${each}`)
}

describe('the CRD of', () => {
  test.each(kinds.map(kind => [kind.name, kind] as const))('%s takes what Hive’s takes, but for what is meant', (_, kind) => {
    expect(differencesOf(kind).filter(difference => !meant.some(({ at }) => at.test(difference)))).toEqual([])
  })

  test.each(kinds.map(kind => [kind.name, kind] as const))('%s has the same names, scope and subresources', (_, kind) => {
    const { spec } = definitionOf(kind)
    const [version] = spec.versions
    const own = crd(kind).spec
    expect([spec.scope, spec.names.kind, spec.names.plural, version!.name]).toEqual([
      own.scope,
      own.names.kind,
      own.names.plural,
      own.versions[0]!.name,
    ])
    expect(own.names.shortNames ?? []).toEqual(expect.arrayContaining([...(spec.names.shortNames ?? [])]))
    expect(own.versions[0]!.subresources?.scale).toEqual(version!.subresources?.scale)
    expect(own.versions[0]!.subresources?.status).toEqual(version!.subresources?.status)
  })
})

test('every difference that is meant is there, so that the table does not grow old', () => {
  const found = kinds.flatMap(differencesOf)
  for (const { at, why } of meant)
    expect(
      found.some(difference => at.test(difference)),
      `${at} (${why})`,
    ).toBe(true)
})

test('Hive’s samples and the manifests of its pages are read without a complaint', () => {
  const all = hiveManifests(folder, kinds)
  expect(new Set(all.map(([, { kind }]) => kind))).toEqual(
    new Set(['ClusterPool', 'ClusterClaim', 'ClusterDeployment', 'ClusterImageSet', 'ClusterDeprovision']),
  )
  for (const [from, manifest] of all) {
    const kind = findKind(kinds, manifest.apiVersion, manifest.kind)!
    const namespace = kind.scope === 'Namespaced' ? { namespace: 'my-project' } : {}
    const { problems, unknownFields } = decode(kind, { ...manifest, metadata: { ...namespace, ...manifest.metadata } })
    expect({ from, kind: kind.name, problems }).toEqual({ from, kind: kind.name, problems: [] })
    expect(unknownFields.filter(field => field.startsWith('spec'))).toEqual([])
  }
})
