import { RequestNotValid } from './errors.ts'
import type { HttpRequest } from './http.ts'

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
