import type { Json } from '../../kinds/index.ts'
import { deleteOptionsMessage, kubernetesMessages } from './kubernetes-messages.ts'
import { type Message, readMessage } from './message.ts'
import { readFields, WireError } from './wire.ts'

const magic = Buffer.from('k8s\0')
const typeMeta: Message = { 1: { name: 'apiVersion', type: 'string' }, 2: { name: 'kind', type: 'string' } }

/**
 * Reads an object out of Kubernetes' protobuf envelope: four bytes of magic, then a `runtime.Unknown` that names the type and
 * carries the object. Throws `WireError`, whose message is for the sender.
 */
export function readEnvelope(body: Uint8Array): { readonly [key: string]: Json } {
  if (!magic.equals(body.subarray(0, 4)))
    throw new WireError('provided data does not appear to be a protobuf message, expected prefix "k8s\\x00"')
  const count = { fields: 0 }
  let type: { readonly apiVersion?: string; readonly kind?: string } = {}
  let raw = new Uint8Array()
  for (const { number, value } of readFields(body.subarray(4), count)) {
    if (number === 1 && typeof value !== 'bigint') type = readMessage(typeMeta, value, count)
    if (number === 2 && typeof value !== 'bigint') raw = new Uint8Array(value)
  }
  const { apiVersion = '', kind = '' } = type
  const message = kind === 'DeleteOptions' ? deleteOptionsMessage : kubernetesMessages[`${apiVersion}/${kind}`]
  if (message === undefined)
    throw new WireError(`objects of kind ${JSON.stringify(kind)} in ${JSON.stringify(apiVersion)} are only taken as JSON or YAML`)
  return { apiVersion, kind, ...readMessage(message, raw, count) }
}
