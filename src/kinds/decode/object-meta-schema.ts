import type { StructuralSchema } from '../structural-schema.ts'

const texts = { type: 'object', additionalProperties: { type: 'string' } } as const

/** What may stand in `metadata`, for every kind alike, as it is described to clients. */
export const objectMetaSchema: StructuralSchema = {
  description: 'What every object says about itself.',
  type: 'object',
  properties: {
    name: { description: 'Unique within the namespace and the kind. Cannot be changed.', type: 'string' },
    generateName: { description: 'If there is no name: the beginning of one that the server makes.', type: 'string' },
    namespace: { description: 'The space within which the name is unique. Cannot be changed.', type: 'string' },
    labels: { description: 'Short texts by which objects are selected.', ...texts },
    annotations: { description: 'Texts of any form that tools keep with the object.', ...texts },
    finalizers: {
      description: 'Who must have cleaned up before the object may go; each removes itself.',
      type: 'array',
      items: { type: 'string' },
      'x-kubernetes-list-type': 'set',
    },
    ownerReferences: {
      description: 'The objects that this one belongs to. If all are gone, so is this.',
      type: 'array',
      items: {
        type: 'object',
        required: ['apiVersion', 'kind', 'name', 'uid'],
        properties: {
          apiVersion: { description: "The owner's API version.", type: 'string' },
          kind: { description: "The owner's kind.", type: 'string' },
          name: { description: "The owner's name.", type: 'string' },
          uid: { description: "The owner's uid.", type: 'string' },
          controller: { description: 'True for the one owner that manages this object.', type: 'boolean' },
          blockOwnerDeletion: { description: 'With foreground deletion, the owner stays until this object is gone.', type: 'boolean' },
        },
        'x-kubernetes-map-type': 'atomic',
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
    },
    uid: { description: 'Unique in time and space. Written by the server.', type: 'string' },
    resourceVersion: { description: 'The revision of the last change. Written by the server.', type: 'string' },
    generation: { description: 'Counts changes of what is wanted. Written by the server.', type: 'integer', format: 'int64' },
    creationTimestamp: { description: 'When the object was made. Written by the server.', type: 'string', format: 'date-time' },
    deletionTimestamp: {
      description: 'Since when the object is being deleted. Written by the server.',
      type: 'string',
      format: 'date-time',
    },
    deletionGracePeriodSeconds: { description: 'How long the deletion may take. Written by the server.', type: 'integer', format: 'int64' },
    selfLink: { description: 'No longer used.', type: 'string' },
    managedFields: {
      description: 'Which client wrote which field. Written by the server.',
      type: 'array',
      items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

/** The same as it is read: Kubernetes checks what is missing or stands twice in metadata in its own way, or not at all. */
export const readObjectMetaSchema: StructuralSchema = relaxed(objectMetaSchema)

function relaxed(schema: StructuralSchema): StructuralSchema {
  const { required: _required, 'x-kubernetes-list-type': _type, 'x-kubernetes-list-map-keys': _keys, ...rest } = schema
  const { properties, items } = rest
  return {
    ...rest,
    ...(items === undefined ? {} : { items: relaxed(items) }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, relaxed(inner)])) }),
  }
}
