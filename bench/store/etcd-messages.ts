/*
 * The few messages of etcd's API v3 that the benchmark sends, written and read by hand: the protobuf wire format is small, and a
 * generated client would measure its own overhead, too.
 */

/** Writes protobuf fields one after another. */
class Writer {
  readonly #parts: Buffer[] = []

  varint(field: number, value: number): this {
    if (value !== 0) this.#parts.push(varint(field << 3), varint(value))
    return this
  }

  bytes(field: number, value: string | Buffer): this {
    const bytes = typeof value === 'string' ? Buffer.from(value) : value
    this.#parts.push(varint((field << 3) | 2), varint(bytes.length), bytes)
    return this
  }

  /** A field of a `oneof` counts even if it is zero. */
  explicitVarint(field: number, value: number): this {
    this.#parts.push(varint(field << 3), varint(value))
    return this
  }

  finish(): Buffer {
    return Buffer.concat(this.#parts)
  }
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) | 128)
  }
}

/** Calls back for each field of a message: with a number, or with the bytes of a text or an inner message. */
function read(message: Buffer, onField: (field: number, value: number | Buffer) => void): void {
  let at = 0
  const number = () => {
    let result = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++]!
      result += (byte & 127) * factor
      if (byte < 128) return result
    }
  }
  while (at < message.length) {
    const tag = number()
    if ((tag & 7) === 0) onField(tag >> 3, number())
    else if ((tag & 7) === 2) {
      const length = number()
      onField(tag >> 3, message.subarray(at, at + length))
      at += length
    } else throw new Error(`unexpected wire type ${tag & 7}`)
  }
}

/** A key with its value and the revision of its last change; 0 if it does not exist. */
export interface KeyValue {
  readonly value: Buffer
  readonly modRevision: number
}

/** RangeRequest: one key, or all up to `end`. */
export function rangeRequest(key: string, end?: string): Buffer {
  const writer = new Writer().bytes(1, key)
  return (end === undefined ? writer : writer.bytes(2, end)).finish()
}

/** The key-value pairs of a RangeResponse. */
export function rangeResponse(message: Buffer): readonly KeyValue[] {
  const found: KeyValue[] = []
  read(message, (field, value) => {
    if (field === 2) found.push(keyValue(value as Buffer))
  })
  return found
}

function keyValue(message: Buffer): KeyValue {
  let value: Buffer = Buffer.alloc(0)
  let modRevision = 0
  read(message, (field, content) => {
    if (field === 3) modRevision = content as number
    if (field === 5) value = content as Buffer
  })
  return { value, modRevision }
}

/** TxnRequest: put the value if the key's last change was at this revision; 0 means that the key must not exist. */
export function putIfRevision(key: string, value: string, modRevision: number): Buffer {
  const equal = 0
  const modTarget = 2
  const compare = new Writer().varint(1, equal).varint(2, modTarget).bytes(3, key).explicitVarint(6, modRevision).finish()
  const put = new Writer().bytes(1, key).bytes(2, value).finish()
  const operation = new Writer().bytes(2, put).finish()
  return new Writer().bytes(1, compare).bytes(2, operation).finish()
}

/** Whether a TxnResponse says that the comparison held. */
export function txnSucceeded(message: Buffer): boolean {
  let succeeded = false
  read(message, (field, value) => {
    if (field === 2) succeeded = value === 1
  })
  return succeeded
}
