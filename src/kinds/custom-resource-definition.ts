import * as z from 'zod'
import { column } from './column.ts'
import { kind } from './define-kind.ts'
import type { Infer } from './kind.ts'

/** How a Kubernetes API server is told of a kind. Only as much of it as is needed to write those of `crd()` and to see if they are served. */
export const CustomResourceDefinition = kind({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  name: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
  builtIn: true,
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  description: 'How a Kubernetes API server is told of a kind.',
  spec: z
    .looseObject({
      group: z.string().describe('The API group.'),
      names: z
        .looseObject({ plural: z.string().describe('In the URL.'), kind: z.string().describe('In the object.') })
        .describe('What the kind is called.'),
      scope: z.enum(['Namespaced', 'Cluster']).describe('Whether its objects live in namespaces.'),
      versions: z.array(z.looseObject({ name: z.string().describe('The name of the version.') })).describe('The versions that are served.'),
    })
    .describe('What the kind is.'),
  status: z
    .looseObject({
      conditions: z
        .array(z.looseObject({ type: z.string().describe('What it is about.'), status: z.string().describe('True, False or Unknown.') }))
        .optional()
        .describe('Whether the kind is served: NamesAccepted, Established.'),
    })
    .describe('Whether the server takes it.'),
  columns: [
    {
      ...column('Created At', '.metadata.creationTimestamp', { type: 'date', description: 'When the object was made.' }),
      value: object => object.metadata.creationTimestamp ?? '<unknown>',
    },
  ],
})

/** An object of kind CustomResourceDefinition. */
export type CustomResourceDefinition = Infer<typeof CustomResourceDefinition>
