import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { beforeAll, describe, expect, test } from 'vitest'
import { allKinds, crd, decode, findKind, type Kind } from '../../../src/kinds/index.ts'
import { usePeer } from '../peer.ts'
import { hiveManifests } from './hive-manifests.ts'
import { meant } from './meant-differences.ts'
import { type Schema, schemaDifferences } from './schema-differences.ts'

// What Hive's own CRDs accept, ours accept; where not, the table says why. Its samples and the manifests of its pages are read as they are.

const kinds = allKinds.filter(({ group }) => group === 'hive.openshift.io')

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
        readonly additionalPrinterColumns?: readonly { readonly name: string; readonly jsonPath: string }[]
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

  test.each(kinds.map(kind => [kind.name, kind] as const))('%s prints the columns of Hive, in its order, and perhaps more', (_, kind) => {
    // The two write conditions with different quotes.
    const columnsOf = (columns: readonly { readonly name: string; readonly jsonPath: string }[] = []) =>
      columns.map(({ name, jsonPath }) => `${name} ${jsonPath.replaceAll("'", '"')}`)
    const theirs = columnsOf(definitionOf(kind).spec.versions[0]!.additionalPrinterColumns)
    const ours = columnsOf(crd(kind).spec.versions[0]!.additionalPrinterColumns)
    expect(ours.filter(column => theirs.includes(column))).toEqual(theirs)
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
