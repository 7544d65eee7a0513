import { isoTime } from '../../ports/index.ts'
import type { Json } from '../../kinds/index.ts'
import { type FieldCount, readFields, WireError } from './wire.ts'

/** What a field holds; a nested message is its own table. */
export type FieldType = 'string' | 'bytes' | 'integer' | 'boolean' | 'time' | 'microTime' | 'quantity' | Message

/**
 * One field of a message. Go writes every field that is not a pointer, set or not; those are left out when they are empty, as
 * their JSON would be. `pointer` marks the others: there means meant.
 */
export interface Field {
  readonly name: string
  readonly type: FieldType
  readonly shape?: 'list' | 'map'
  readonly pointer?: boolean
}

/** The fields of a message by number. */
export type Message = Readonly<Record<number, Field>>

/** Fields while they are read. Lists and maps come entry by entry, in any order: they grow in place. */
type Fields = Map<string, Json | Json[] | Map<string, Json>>

/** Reads a message into what its JSON would be. Unknown fields are passed over, as protobuf wants it. Throws `WireError`. */
export function readMessage(message: Message, bytes: Uint8Array, count: FieldCount): { readonly [key: string]: Json } {
  const fields: Fields = new Map()
  for (const { number, value } of readFields(bytes, count)) {
    const field = message[number]
    if (field !== undefined) addField(fields, field, value, count)
  }
  return Object.fromEntries([...fields].map(([name, value]) => [name, value instanceof Map ? Object.fromEntries(value) : value]))
}

function addField(fields: Fields, field: Field, value: bigint | Uint8Array, count: FieldCount): void {
  if (field.shape === 'map') {
    const [key, inner] = readEntry(field.type, bytesOf(value, field), count)
    const map = fields.get(field.name)
    if (map instanceof Map) map.set(key, inner)
    else fields.set(field.name, new Map([[key, inner]]))
    return
  }
  const read = readValue(field, value, count)
  if (field.shape === 'list') {
    const list = fields.get(field.name)
    if (Array.isArray(list)) list.push(read ?? '')
    else fields.set(field.name, [read ?? ''])
  } else if (read !== undefined && (field.pointer === true || !isEmpty(read))) fields.set(field.name, read)
}

/** The entry of a map is a message of a key and a value. */
function readEntry(type: FieldType, bytes: Uint8Array, count: FieldCount): [string, Json] {
  const entry = readMessage({ 1: { name: 'key', type: 'string' }, 2: { name: 'value', type, pointer: true } }, bytes, count)
  return [String(entry['key'] ?? ''), entry['value'] ?? '']
}

function readValue(field: Field, value: bigint | Uint8Array, count: FieldCount): Json | undefined {
  switch (field.type) {
    case 'integer':
      return Number(BigInt.asIntN(64, integerOf(value, field)))
    case 'boolean':
      return integerOf(value, field) !== 0n
    case 'string':
      return textOf(bytesOf(value, field), field)
    case 'bytes':
      return Buffer.from(bytesOf(value, field)).toString('base64')
    case 'time':
    case 'microTime':
      return timeOf(bytesOf(value, field), field.type, count)
    case 'quantity':
      return readMessage(quantityMessage, bytesOf(value, field), count)['text'] ?? '0'
    default:
      return readMessage(field.type, bytesOf(value, field), count)
  }
}

const quantityMessage: Message = { 1: { name: 'text', type: 'string' } }
const timeMessage: Message = { 1: { name: 'seconds', type: 'integer' }, 2: { name: 'nanos', type: 'integer' } }
/** The years that a date can have. */
const lastSecond = 253_402_300_799

/** Undefined for Go's zero time, which is an empty message. */
function timeOf(bytes: Uint8Array, type: 'time' | 'microTime', count: FieldCount): string | undefined {
  if (bytes.length === 0) return undefined
  const { seconds = 0, nanos = 0 } = readMessage(timeMessage, bytes, count) as { seconds?: number; nanos?: number }
  if (Math.abs(seconds) > lastSecond) throw new WireError(`the time of ${seconds} seconds is no date`)
  const time = isoTime(seconds * 1000)
  // Not as a number of milliseconds: a double has no room for the microseconds of our day.
  return type === 'time' ? time : time.replace('Z', `.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`)
}

function isEmpty(value: Json): boolean {
  return value === '' || value === 0 || value === false || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
}

function bytesOf(value: bigint | Uint8Array, field: Field): Uint8Array {
  if (typeof value === 'bigint') throw new WireError(`proto: wrong wireType = 0 for field ${field.name}`)
  return value
}

function integerOf(value: bigint | Uint8Array, field: Field): bigint {
  if (typeof value !== 'bigint') throw new WireError(`proto: wrong wireType = 2 for field ${field.name}`)
  return value
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function textOf(bytes: Uint8Array, field: Field): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new WireError(`the text of field ${field.name} is not UTF-8`)
  }
}
