import type { Secret } from './secret.ts'
import { RequestNotValid } from './errors.ts'

/** What a server must prove to be believed: who it is, unless `insecure` says otherwise for the one client that is made with it. */
export interface TlsTrust {
  /** PEM text of certificate authorities to trust instead of the system's. */
  readonly ca?: string
  /** SHA-256 of the server's certificate, hexadecimal, colons allowed: trust exactly this one, whoever signed it. */
  readonly thumbprint?: string
  /**
   * Believe whoever answers, unseen: anybody on the way can read and change all that is said, tokens included. Only for a server whose
   * operator wrote so; it cannot stand beside `ca` or `thumbprint`.
   */
  readonly insecure?: true
  /** The name to expect in the certificate, if it is not the host of the URL. */
  readonly serverName?: string
  /** The client's own certificate and key, PEM. */
  readonly certificate?: string
  readonly key?: Secret
}

/** What to ask, of whom, and how long to wait for the answer. */
export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  /**
   * Secrets are revealed only where they are sent. Who asks by `accept-encoding: gzip` for a compressed answer gets it unpacked;
   * `maxBytes` then counts what comes out.
   */
  readonly headers?: Readonly<Record<string, string | Secret>>
  readonly body?: string | Uint8Array
  /** Milliseconds until the response head must be there, and for `send` the body too. Default 30,000. */
  readonly timeout?: number
  /** Milliseconds that a streamed body may stay silent; then `Unreachable`. Default: as long as it likes. */
  readonly idleTimeout?: number
  /** Bytes of body that are read at most; more rejects with `ResponseTooLarge`. Default 64 MiB for `send`, none for `stream`. */
  readonly maxBytes?: number
  readonly signal?: AbortSignal
}

/** What comes before a response's body. */
export interface HttpHead {
  readonly status: number
  /** Lower-case names; repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
}

/** A whole response. */
export interface HttpResponse extends HttpHead {
  readonly body: Uint8Array
  /** The body as UTF-8. */
  readonly text: () => string
}

/** A response whose body is still on its way. Whoever has it reads it, leaves the iteration, or aborts the request. */
export interface HttpStream extends HttpHead {
  /** The body, piece by piece. Ending the iteration early closes the connection. */
  readonly chunks: AsyncIterable<Uint8Array>
}

/**
 * A way to other systems. Each client has its own connections and its own trust, fixed when it is made.
 * Any status is a response, not an error; a redirect is not followed, and nothing is ever sent twice. No answer rejects with
 * `Unreachable` (with the cause: refused, reset, name not found, certificate not trusted), `DeadlineExceeded`,
 * `ResponseTooLarge`, or the reason of the caller's signal; what cannot be sent at all with `RequestNotValid`. An error's text
 * names method, scheme, host and path: never the query, a header or the body.
 */
export interface HttpClient {
  /** Sends a request and reads the whole answer. */
  send(request: HttpRequest): Promise<HttpResponse>
  /** Sends a request and hands over the body while it arrives: watches and long downloads. */
  stream(request: HttpRequest): Promise<HttpStream>
  /** Closes idle connections at once and the others when they are done. */
  close(): Promise<void>
}

/** How a client connects. */
export interface HttpClientOptions {
  readonly trust?: TlsTrust
  /** Connections to one origin at most. Default 64. */
  readonly connections?: number
  /** Milliseconds to establish a connection. Default 10,000. */
  readonly connectTimeout?: number
}

/** What an error may say about a request: method, scheme, host and path. */
export function targetOf(request: HttpRequest): string {
  const { protocol, host, pathname } = parsedUrl(request)
  return `${request.method} ${protocol}//${host}${pathname}`
}

/** The request's URL, taken apart. The error does not repeat it: a URL that cannot be read may hold anything. */
export function parsedUrl(request: HttpRequest): URL {
  const url = URL.parse(request.url)
  if (url === null) throw RequestNotValid({ what: 'its URL cannot be read', fix: 'write https://HOST:PORT/PATH' })
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw RequestNotValid({ what: `its URL begins with ${url.protocol}`, fix: 'write https://HOST:PORT/PATH' })
  }
  if (url.username !== '' || url.password !== '') {
    throw RequestNotValid({ what: 'its URL holds a user name or password', fix: 'put credentials into the Authorization header' })
  }
  return url
}
