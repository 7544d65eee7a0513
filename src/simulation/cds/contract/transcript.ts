import { type HttpRequest, type HttpResponse, Secret } from '../../../ports/index.ts'
import type { CdsSubject } from './subject.ts'
import { isPlainObject } from '../../../kinds/index.ts'

/** A call whose answer is written down. */
export interface Asked {
  readonly method?: HttpRequest['method']
  readonly path: string
  readonly body?: unknown
  readonly token?: string
  /** What of a good answer is written down: `a.b` its type, `a.b=` its value. `[]` looks at the first of a list. */
  readonly show?: readonly string[]
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Asks an API and writes down what it answers, without what differs from run to run. */
export class Transcript {
  readonly subject: CdsSubject
  readonly lines: string[] = []

  constructor(subject: CdsSubject) {
    this.subject = subject
  }

  /** Makes a call and writes the answer down. */
  async ask(what: string, asked: Asked): Promise<HttpResponse> {
    const answer = await this.quietly(asked)
    this.lines.push(`${what}: ${answer.status} ${this.#describe(answer, asked.show ?? [])}`.trimEnd())
    return answer
  }

  /** Makes a call that nobody writes down. */
  async quietly({ method = 'GET', path, body, token }: Asked): Promise<HttpResponse> {
    return await this.subject.http.send({
      method,
      url: `${this.subject.url}${path}`,
      headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: new Secret(`Bearer ${token}`) }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  }

  say(line: string): void {
    this.lines.push(line)
  }

  /** Waits until a call's answer fits, and says whether it did. */
  async until(what: string, seconds: number, asked: Asked, fits: (body: unknown, status: number) => boolean): Promise<void> {
    for (let tries = seconds * 4; tries > 0; tries--) {
      const answer = await this.quietly(asked)
      if (fits(jsonOf(answer), answer.status)) return void this.lines.push(`${what}: yes`)
      await this.subject.pass(250)
    }
    this.lines.push(`${what}: no`)
  }

  #describe(answer: HttpResponse, show: readonly string[]): string {
    const text = answer.text()
    if (text === '') return '(nothing)'
    const body = jsonOf(answer)
    if (answer.status >= 400 && isPlainObject(body)) {
      const from = body['from'] === undefined ? '' : ` from ${JSON.stringify(plain(String(body['from'])))}`
      return `${String(body['id'])} ${JSON.stringify(body['message'])}${from}`
    }
    if (body === undefined) return `(${text.length > 0 ? 'text' : 'nothing'})`
    if (body === null || !isPlainObject(body) || show.length === 0) return shape(body)
    return show.map(each => shown(body, each)).join(', ')
  }
}

/** The body as JSON; undefined if it is none. */
export function jsonOf(answer: HttpResponse): unknown {
  try {
    return JSON.parse(answer.text())
  } catch {
    return undefined
  }
}

/** A field of an answer, by a path like `a.b`. */
export function at(body: unknown, path: string): unknown {
  let value = body
  for (const step of path.split('.')) {
    if (step === '[]') value = Array.isArray(value) ? value[0] : undefined
    else value = isPlainObject(value) ? value[step] : undefined
  }
  return value
}

/** Error texts with what differs from run to run taken out. Go's own words about JSON are not ours to copy. */
function plain(text: string): string {
  return text.replaceAll(uuid, 'UUID').replace(/^.*(?:invalid character|unexpected|JSON|cannot unmarshal).*$/s, '(the body cannot be read)')
}

function shown(body: unknown, path: string): string {
  const exact = path.endsWith('=')
  const name = exact ? path.slice(0, -1) : path
  const value = at(body, name)
  return `${name} ${exact ? (JSON.stringify(value) ?? 'undefined').replaceAll(uuid, 'UUID') : shape(value)}`
}

function shape(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${shape(value[0])}]`
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT/.test(value) ? 'time' : 'text'
  return isPlainObject(value) ? (Object.keys(value).length === 0 ? '{}' : 'object') : typeof value
}
