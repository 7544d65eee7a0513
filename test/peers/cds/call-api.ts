import { request } from 'node:http'

/** What an API answered, whatever its status. */
export interface ApiAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The text as JSON; undefined if it is none. */
  readonly body: unknown
}

/** A request as an administrator or a program sends it. */
export interface ApiRequest {
  readonly method: string
  readonly path: string
  /** An object goes as JSON, a text as YAML. */
  readonly body?: unknown
  readonly token?: string
}

/** One call on a connection of its own. Rejects only if nobody answers. */
export function callApi(base: string, { method, path, body, token }: ApiRequest): Promise<ApiAnswer> {
  const isText = typeof body === 'string'
  const data = body === undefined ? undefined : isText ? body : JSON.stringify(body)
  const headers = {
    'content-type': isText ? 'application/x-yaml' : 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(data !== undefined && { 'content-length': Buffer.byteLength(data) }),
  }
  return new Promise((resolve, reject) => {
    const call = request(new URL(path, base), { method, headers, agent: false, timeout: 30_000 }, answer => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, body: asJson(text) }))
    })
    call.on('timeout', () => call.destroy(new Error(`no answer to ${method} ${path}`)))
    call.on('error', reject)
    call.end(data)
  })
}

/** The same, for calls that must work. */
export async function mustCall(base: string, asked: ApiRequest): Promise<ApiAnswer> {
  const answer = await callApi(base, asked)
  if (answer.status >= 300)
    throw new Error(`${asked.method} ${asked.path} was answered with ${answer.status}: ${answer.text.slice(0, 500)}`)
  return answer
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
