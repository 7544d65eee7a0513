import { type Kind, objectMetaSchema, type StructuralSchema } from '../../kinds/index.ts'
import { listPoliciesOf, type ListPolicy } from '../patch/list-policies.ts'

type Schema = object

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const metaNames = {
  objectMeta: `${meta}.ObjectMeta`,
  ownerReference: `${meta}.OwnerReference`,
  managedFieldsEntry: `${meta}.ManagedFieldsEntry`,
  fieldsV1: `${meta}.FieldsV1`,
  listMeta: `${meta}.ListMeta`,
  deleteOptions: `${meta}.DeleteOptions`,
  status: `${meta}.Status`,
}

/** A reference to a schema of the same document. */
export function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

/** The name of a kind's schema: for kinds of Kubernetes the one that its own documents use. */
export function schemaName(kind: Kind): string {
  if (!kind.builtIn) return `${kind.group.split('.').toReversed().join('.')}.${kind.version}.${kind.name}`
  if (kind.group === 'apiextensions.k8s.io') return `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.${kind.version}.${kind.name}`
  return `io.k8s.api.${kind.group === '' ? 'core' : kind.group.split('.')[0]!}.${kind.version}.${kind.name}`
}

/** The schemas of an object and of a list of them. */
export function kindSchemas(kind: Kind): Readonly<Record<string, Schema>> {
  const name = schemaName(kind)
  const { properties = {}, ...rest } = withPolicies(kind)
  return {
    [name]: {
      ...rest,
      properties: {
        ...properties,
        metadata: { description: objectMetaSchema.description, allOf: [reference(metaNames.objectMeta)] },
      },
      'x-kubernetes-group-version-kind': [groupVersionKind(kind)],
      ...(kind.selectableFields.length > 0
        ? { 'x-kubernetes-selectable-fields': kind.selectableFields.map(fieldPath => ({ fieldPath })) }
        : {}),
    },
    [`${name}List`]: {
      description: `A list of ${kind.plural}.`,
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: properties['apiVersion'],
        kind: properties['kind'],
        metadata: { description: 'Which moment the list shows, and how to go on.', allOf: [reference(metaNames.listMeta)] },
        items: { description: `The ${kind.plural}.`, type: 'array', items: { allOf: [reference(name)] } },
      },
      'x-kubernetes-group-version-kind': [{ ...groupVersionKind(kind), kind: `${kind.name}List` }],
    },
  }
}

/** How documents name a kind. */
export function groupVersionKind({ group, version, name }: Kind) {
  return { group, version, kind: name }
}

const text = (description: string) => ({ description, type: 'string' })
const number = (description: string) => ({ description, type: 'integer', format: 'int64' })

/** The schemas that all kinds share. */
export function commonSchemas(): Readonly<Record<string, Schema>> {
  return {
    [metaNames.objectMeta]: objectMeta(),
    [metaNames.ownerReference]: objectMetaSchema.properties!['ownerReferences']!.items!,
    [metaNames.managedFieldsEntry]: {
      description: 'Which fields a client wrote.',
      type: 'object',
      properties: {
        apiVersion: text('In which version of the kind.'),
        fieldsType: text('How the fields are written.'),
        fieldsV1: { description: 'The fields.', allOf: [reference(metaNames.fieldsV1)] },
        manager: text('Who wrote them.'),
        operation: text('How they were written.'),
        subresource: text('Through which subresource.'),
        time: { description: 'When.', type: 'string', format: 'date-time' },
      },
    },
    [metaNames.fieldsV1]: { description: 'Fields, as a tree of their names.', type: 'object' },
    [metaNames.listMeta]: {
      description: 'What a list says about itself.',
      type: 'object',
      properties: {
        continue: text('Ask with this for the items that follow.'),
        remainingItemCount: number('How many items follow.'),
        resourceVersion: text('The revision that the list shows.'),
      },
    },
    [metaNames.deleteOptions]: {
      description: 'How to delete.',
      type: 'object',
      properties: {
        apiVersion: text('v1'),
        kind: text('DeleteOptions'),
        dryRun: { description: 'All: check and answer, but change nothing.', type: 'array', items: { type: 'string' } },
        gracePeriodSeconds: number('Without meaning here.'),
        preconditions: {
          description: 'Delete only if the object still is this one.',
          type: 'object',
          properties: { uid: text('Its uid.'), resourceVersion: text('Its revision.') },
        },
        propagationPolicy: text('What becomes of the objects that it owns: Background, Foreground or Orphan.'),
      },
    },
    [metaNames.status]: {
      description: 'What became of a request.',
      type: 'object',
      properties: {
        apiVersion: text('v1'),
        kind: text('Status'),
        status: text('Success or Failure.'),
        message: text('What happened, for people.'),
        reason: text('What happened, for programs.'),
        code: { description: 'The HTTP status.', type: 'integer', format: 'int32' },
      },
    },
  }
}

/** Names of its own for the two kinds of items, as in Kubernetes' documents: `explain` prints them. */
function objectMeta(): Schema {
  const policies = listPoliciesOf('').map(([path, policy]) => [path.replace('metadata.', ''), policy] as const)
  const { properties, ...rest } = annotated(objectMetaSchema, policies)
  const { ownerReferences, managedFields } = properties!
  return {
    ...rest,
    properties: {
      ...properties,
      ownerReferences: { ...ownerReferences, items: { allOf: [reference(metaNames.ownerReference)] } },
      managedFields: { ...managedFields, items: { allOf: [reference(metaNames.managedFieldsEntry)] } },
    },
  }
}

/** The schema of the scale subresource. */
export function scaleSchemas(): Readonly<Record<string, Schema>> {
  return {
    'io.k8s.api.autoscaling.v1.Scale': {
      description: 'How many of something there should be, and are.',
      type: 'object',
      properties: {
        apiVersion: text('autoscaling/v1'),
        kind: text('Scale'),
        metadata: { description: objectMetaSchema.description, allOf: [reference(metaNames.objectMeta)] },
        spec: { description: 'What is wanted.', type: 'object', properties: { replicas: number('How many.') } },
        status: {
          description: 'What is.',
          type: 'object',
          properties: { replicas: number('How many.'), selector: text('Which objects are counted.') },
        },
      },
      'x-kubernetes-group-version-kind': [{ group: 'autoscaling', version: 'v1', kind: 'Scale' }],
    },
  }
}

/** kubectl reads from the schema how lists are merged, and makes its patches accordingly. */
function withPolicies(kind: Kind): StructuralSchema {
  return kind.builtIn ? annotated(kind.schema, listPoliciesOf(kind.name)) : kind.schema
}

function annotated(schema: StructuralSchema, policies: readonly (readonly [string, ListPolicy])[]): StructuralSchema {
  return policies.reduce((whole, [path, policy]) => annotate(whole, path.split('.'), policy), schema)
}

const strategy = 'x-kubernetes-patch-strategy'

function annotate(schema: StructuralSchema, [step, ...rest]: readonly string[], policy: ListPolicy): StructuralSchema {
  if (step === undefined) {
    const extensions: object =
      policy.kind === 'map' ? { [strategy]: 'merge', 'x-kubernetes-patch-merge-key': policy.key } : { [strategy]: 'merge' }
    return { ...schema, ...extensions }
  }
  const inner = schema.properties?.[step]
  return inner === undefined ? schema : { ...schema, properties: { ...schema.properties, [step]: annotate(inner, rest, policy) } }
}
