import { Secret, Unreachable, type HttpClient, type HttpResponse } from '../../ports/index.ts'
import { AnswerNotUnderstood, VimFault, XmlNotValid } from '../errors.ts'
import { child, childText, type XmlElement } from '../xml/element.ts'
import { readXml } from '../xml/reader.ts'
import { envelope, type Ref, type XmlFields } from '../xml/writer.ts'

/** What every call may take. */
const usualTimeout = 15_000

/** A listing of 100,000 VMs is smaller; more is not an answer but an attack on the memory. */
const mostBytes = 512 * 1024 * 1024

/** Makes vCenter answer in the form of this version of its interface, which every later one still speaks. */
const interfaceVersion = 'urn:vim25/6.5'

/**
 * The calls whose answers bring the session's cookie. vCenter gives one to whoever has none: a call that meets the end of a session
 * would bring one that nobody has signed in with, and might come after the one that counts.
 */
const signsIn: ReadonlySet<string> = new Set(['RetrieveServiceContent', 'Login'])

/** How one call differs from the others. */
export interface CallOptions {
  /** Milliseconds. Default 15,000. */
  readonly timeout?: number
  readonly signal?: AbortSignal | undefined
}

/** Calls methods of vCenter's objects: one HTTP request each, never repeated. It holds the session's cookie. */
export class SoapClient {
  readonly #url: string
  readonly #http: HttpClient
  #cookie: Secret | undefined

  constructor(url: string, http: HttpClient) {
    this.#url = url
    this.#http = http
  }

  /** Forgets the session, so that the next call begins without one. */
  forget(): void {
    this.#cookie = undefined
  }

  /**
   * The element that answers the call. Rejects with `VimFault` if vCenter refused, `AnswerNotUnderstood`, or what the HTTP port
   * rejects with. Neither bodies nor the cookie are part of any error.
   */
  async call(method: string, target: Ref, args: XmlFields = {}, options: CallOptions = {}): Promise<XmlElement> {
    const response = await this.#http.send({
      method: 'POST',
      url: this.#url,
      headers: {
        'content-type': 'text/xml; charset=utf-8',
        soapaction: interfaceVersion,
        'accept-encoding': 'gzip',
        ...(this.#cookie !== undefined && { cookie: this.#cookie }),
      },
      body: envelope(method, target, args),
      timeout: options.timeout ?? usualTimeout,
      maxBytes: mostBytes,
      ...(options.signal !== undefined && { signal: options.signal }),
    })
    if (signsIn.has(method)) this.#keepCookie(response)
    return answerOf(method, response)
  }

  #keepCookie({ headers }: HttpResponse): void {
    const cookie = /(?:^|,\s*)(vmware_soap_session=[^;,]+)/.exec(headers['set-cookie'] ?? '')?.[1]
    if (cookie !== undefined) this.#cookie = new Secret(cookie)
  }
}

function answerOf(method: string, response: HttpResponse): XmlElement {
  if (response.status !== 200 && response.status !== 500) throw notVcenter(method, response)
  const body = bodyOf(method, response)
  const fault = child(body, 'Fault')
  if (fault !== undefined) throw faultOf(method, fault)
  const answer = child(body, `${method}Response`)
  if (answer === undefined) throw AnswerNotUnderstood({ call: method, why: `it holds no ${method}Response` })
  if (isSignedOut(answer)) throw VimFault({ call: method, fault: 'NotAuthenticated', message: 'the session has ended' })
  return answer
}

/**
 * Whether a listing says that its reader is not signed in. vCenter then refuses not the call but each property, and what looks like
 * objects without properties would be taken for objects that are gone.
 */
function isSignedOut(answer: XmlElement): boolean {
  const result = child(answer, 'returnval')
  const first = result === undefined ? undefined : child(result, 'objects')
  const missing = first === undefined ? undefined : child(first, 'missingSet')
  const fault = missing === undefined ? undefined : child(missing, 'fault')
  return fault !== undefined && child(fault, 'fault')?.type === 'NotAuthenticated'
}

function bodyOf(method: string, response: HttpResponse): XmlElement {
  try {
    const root = readXml(response.body)
    const body = root.name === 'Envelope' ? child(root, 'Body') : undefined
    if (body !== undefined) return body
  } catch (error) {
    if (!XmlNotValid.is(error)) throw error
    if (response.status === 500) throw notVcenter(method, response)
    throw AnswerNotUnderstood({ call: method, why: error.message }, { cause: error })
  }
  throw AnswerNotUnderstood({ call: method, why: 'it is not a SOAP envelope' })
}

/** Something in between answered, or a vCenter that is just starting or stopping. */
function notVcenter(method: string, { status }: HttpResponse): Error {
  const isElsewhere = status >= 300 && status < 500
  return Unreachable({
    target: `vCenter, asked for ${method},`,
    why: `the HTTP status is ${status}`,
    // Only 503 says that the request went no further.
    sent: status !== 503,
    ...(isElsewhere && { fix: 'check that the URL is that of a vCenter, as https://HOST/sdk, and what stands between' }),
  })
}

/** The fault of an answer or of a finished task. */
export function faultOf(call: string, fault: XmlElement): Error {
  const detail = child(fault, 'detail')?.children[0] ?? child(fault, 'fault') ?? fault
  const type = detail.type ?? detail.name.replace(/Fault$/, '')
  const message = childText(fault, 'faultstring') ?? childText(fault, 'localizedMessage') ?? ''
  const about =
    childText(detail, 'privilegeId') ?? childText(detail, 'obj') ?? childText(detail, 'invalidProperty') ?? childText(detail, 'name')
  return VimFault({ call, fault: type, message: message.slice(0, 500), about })
}
