import { connect, type Socket } from 'node:net'

/**
 * Asks the API's database, for what nobody can ask the API: sessions of V2 hatcheries and their status. Gives each row as a list of
 * texts. It speaks just enough of PostgreSQL's protocol for that, since its client is not part of every server's package.
 */
export async function askDatabase(port: number, query: string): Promise<readonly (readonly string[])[]> {
  const socket = connect(port, '127.0.0.1')
  const messages = readMessages(socket)
  try {
    socket.write(sized('', Buffer.concat([int32(196_608), Buffer.from('user\0postgres\0database\0postgres\0\0')])))
    await untilIdle(messages)
    socket.write(sized('Q', Buffer.from(`${query}\0`)))
    return await untilIdle(messages)
  } finally {
    socket.destroy()
  }
}

interface Message {
  readonly type: string
  readonly body: Buffer
}

/** The rows of everything that comes until the server waits for the next query. */
async function untilIdle(messages: AsyncGenerator<Message>): Promise<string[][]> {
  const rows: string[][] = []
  for (;;) {
    const { value, done } = await messages.next()
    if (done === true) throw new Error('the database hung up')
    if (value.type === 'E') throw new Error(`the database refused: ${value.body.toString().replaceAll('\0', ' ')}`)
    if (value.type === 'D') rows.push(cells(value.body))
    if (value.type === 'Z') return rows
  }
}

async function* readMessages(socket: Socket): AsyncGenerator<Message> {
  let left = Buffer.alloc(0)
  for await (const piece of socket as AsyncIterable<Buffer>) {
    left = Buffer.concat([left, piece])
    while (left.length >= 5 && left.length > left.readInt32BE(1)) {
      const end = left.readInt32BE(1) + 1
      yield { type: left.toString('latin1', 0, 1), body: left.subarray(5, end) }
      left = left.subarray(end)
    }
  }
}

function cells(body: Buffer): string[] {
  const found: string[] = []
  for (let at = 2; at < body.length;) {
    const length = body.readInt32BE(at)
    found.push(length < 0 ? '' : body.toString('utf8', at + 4, at + 4 + length))
    at += 4 + Math.max(0, length)
  }
  return found
}

function sized(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
