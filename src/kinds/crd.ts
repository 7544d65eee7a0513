import type { Column, Kind } from './kind.ts'
import { ruledSchema } from './schema/ruled-schema.ts'

/** What tells a Kubernetes API server of a kind: its CustomResourceDefinition, as a plain object. */
export function crd(kind: Kind) {
  if (kind.builtIn) throw new TypeError(`${kind.name} is served by every Kubernetes: it has no CRD`)
  const { group, plural, singular, shortNames, categories, scale } = kind
  const columns = kind.columns.filter(column => column.format !== 'name').map(printerColumn)
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        kind: kind.name,
        listKind: `${kind.name}List`,
        plural,
        singular,
        ...(shortNames.length > 0 ? { shortNames } : {}),
        ...(categories.length > 0 ? { categories } : {}),
      },
      scope: kind.scope,
      versions: [
        {
          name: kind.version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: ruledSchema(kind) },
          ...(kind.hasStatus || scale !== undefined
            ? { subresources: { ...(kind.hasStatus ? { status: {} } : {}), ...(scale === undefined ? {} : { scale }) } }
            : {}),
          ...(columns.length > 0 ? { additionalPrinterColumns: columns } : {}),
          ...(kind.selectableFields.length > 0 ? { selectableFields: kind.selectableFields.map(path => ({ jsonPath: `.${path}` })) } : {}),
        },
      ],
    },
  }
}

function printerColumn({ name, type, path, priority, description }: Column) {
  return {
    name,
    type,
    jsonPath: path,
    ...(priority === 0 ? {} : { priority }),
    ...(description === undefined ? {} : { description }),
  }
}
