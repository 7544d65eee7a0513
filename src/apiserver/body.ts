import type { Json } from '../kinds/index.ts'
import { badRequest, tooLarge, unsupportedMediaType } from './errors.ts'
import { refuseManyValues, inspectJson } from './json-text.ts'
import { isObject } from './patch/merge-patch.ts'
import { readEnvelope } from './protobuf/envelope.ts'
import { WireError } from './protobuf/wire.ts'

/** An object that was read from a body. */
export interface Body {
  readonly object: { readonly [key: string]: Json }
  /** What is suspicious about the text itself: keys that occur twice. */
  readonly complaints: readonly string[]
}

/** The formats of bodies that are read. */
export const bodyTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']

/**
 * Reading YAML takes a thousand times as long as JSON when every character is a mistake, and no other request is answered meanwhile.
 * The limit affects hardly any client: kubectl and all client libraries turn YAML into JSON before they send it.
 */
const maxYamlBytes = 8 * 1024

/** The type of a body, without parameters; bodies without one are JSON. */
export function mediaType(contentType: string | undefined): string {
  const type = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase()
  return type === '' ? 'application/json' : type
}

/** Reads an object from a body. `wanted` names its kind in complaints. Throws BadRequest, UnsupportedMediaType or RequestEntityTooLarge. */
export async function readBody(bytes: Buffer, contentType: string | undefined, wanted: string): Promise<Body> {
  switch (mediaType(contentType)) {
    case 'application/json':
      return fromJson(bytes.toString('utf8'), why => unrecognised(wanted, `couldn't get version/kind; json parse error: ${why}`))
    case 'application/yaml':
      if (bytes.length > maxYamlBytes) throw tooLarge(maxYamlBytes, ' for YAML; send JSON')
      return fromYaml(bytes.toString('utf8'), wanted)
    case 'application/vnd.kubernetes.protobuf':
      return fromProtobuf(bytes, wanted)
    default:
      throw unsupportedMediaType(bodyTypes)
  }
}

/** Reads JSON that must be an object. `refusal` makes the error out of what is wrong with it. */
export function fromJson(text: string, refusal: (why: string) => Error): Body {
  const { duplicates, error } = inspectJson(text)
  if (error !== undefined) throw refusal(error)
  const value = JSON.parse(text) as Json
  if (!isObject(value)) throw refusal(`json: cannot unmarshal ${goTypeOf(value)} into an object`)
  return { object: value, complaints: duplicates.map(path => `duplicate field ${JSON.stringify(path)}`) }
}

/** Go's words for the types of JSON. */
export function goTypeOf(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (value === null) return 'null'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** Loaded when the first such body comes: most never send one, and it would slow every start. */
async function fromYaml(text: string, wanted: string): Promise<Body> {
  const { readYaml, YamlTextError } = await import('./yaml-text.ts')
  try {
    const { value, complaints } = readYaml(text)
    if (!isObject(value)) throw unrecognised(wanted, `json: cannot unmarshal ${goTypeOf(value)} into an object`)
    return { object: value, complaints }
  } catch (error) {
    if (error instanceof YamlTextError) throw unrecognised(wanted, `yaml: ${error.message}`)
    throw error
  }
}

function fromProtobuf(bytes: Buffer, wanted: string): Body {
  try {
    const object = readEnvelope(bytes)
    refuseManyValues(object)
    return { object, complaints: [] }
  } catch (error) {
    if (error instanceof WireError) throw unrecognised(wanted, error.message)
    throw error
  }
}

/** The body itself is not repeated: it may hold a secret. */
function unrecognised(wanted: string, why: string): Error {
  return badRequest(`the object provided is unrecognized (must be of type ${wanted}): ${why}`)
}
