/** One HTTP request as the handlers see it, whatever carried it here. */
export interface Call {
  readonly method: string
  /** Path and query as they were sent. */
  readonly url: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly sourceAddress: string
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** Reads the whole body, at most `limit` bytes; rejects with RequestEntityTooLarge beyond that. */
  body(limit: number, signal: AbortSignal): Promise<Buffer>
}

/** What goes back. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Text, bytes, or one piece after another. */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>
  /** The name of the object that was made, which the path does not tell. */
  readonly made?: string
  /** The pieces come as things happen and have no end of their own: a watch. */
  readonly live?: boolean
}

/** The value of a header that may be sent only once. */
export function header(call: Call, name: string): string | undefined {
  const value = call.headers[name]
  return typeof value === 'string' ? value : value?.join(', ')
}

/** A value as a JSON answer. */
export function jsonAnswer(status: number, value: unknown, headers: Answer['headers'] = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) }
}

/** A line of plain text. */
export function textAnswer(status: number, text: string): Answer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }, body: text }
}
