import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../ports/index.ts'
import { bodyTypes } from './body.ts'
import type { Answer, Call } from './call.ts'
import { badRequest, tooLarge, unsupportedMediaType } from './errors.ts'
import { ApiHandler } from './handler.ts'
import type { ApiServerOptions } from './options.ts'
import { failureStatus } from './status.ts'
import { streamTo } from './stream.ts'

/** The paths below which the API server answers; what else there is, and 404s, belong to whoever mounts it. */
const doors = ['/', '/api', '/apis', '/openapi', '/version', '/healthz', '/livez', '/readyz']
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The Kubernetes API over a store, as a fastify plugin. */
export async function apiServer(app: FastifyInstance, options: ApiServerOptions): Promise<void> {
  const handler = new ApiHandler(options)
  app.removeAllContentTypeParsers()
  // Bodies are read by the handler, once it knows who is asking.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  const serve = (request: FastifyRequest, reply: FastifyReply) => answerRequest(handler, request, reply, options.clock)
  for (const door of doors) {
    app.route({ method: methods, url: door, handler: serve, exposeHeadRoute: false })
    if (door !== '/') app.route({ method: methods, url: `${door}/*`, handler: serve, exposeHeadRoute: false })
  }
  app.setNotFoundHandler(serve)
  // What fastify refuses before a request gets to us, such as a content type that is none.
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    const refusal = error.statusCode === 415 ? unsupportedMediaType(bodyTypes) : badRequest(error.message)
    return reply.code(refusal.status).send(failureStatus(refusal, ''))
  })
  app.addHook('preClose', async () => handler.close())
}

/** Made once: an error for each client that hangs up would be the most expensive part of serving it. */
const hungUp = new Error('the client has gone')

async function answerRequest(handler: ApiHandler, request: FastifyRequest, reply: FastifyReply, clock: Clock): Promise<void> {
  const response = reply.raw
  const gone = new AbortController()
  // Not the request's 'close': that comes as soon as its body is read.
  response.on('close', () => (response.writableFinished ? undefined : gone.abort(hungUp)))
  const answer = await handler.handle(callOf(request, gone.signal))
  reply.hijack()
  const body = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body
  response.writeHead(answer.status, headersOf(answer, body))
  if (body instanceof Uint8Array || request.method === 'HEAD') response.end(request.method === 'HEAD' ? undefined : body)
  else await streamTo(response, body, gone.signal, clock)
}

function headersOf({ headers = {}, live = false }: Answer, body: Answer['body']): Record<string, string | string[]> {
  const given = Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]] as const)
  const length = body instanceof Uint8Array ? { 'content-length': String(body.length) } : {}
  // A connection that carried a watch is not used again, so that a server that stops need not wait for it.
  return { ...Object.fromEntries(given), ...length, ...(live ? { connection: 'close' } : {}) }
}

function callOf(request: FastifyRequest, signal: AbortSignal): Call {
  return {
    method: request.method,
    url: request.raw.url ?? '/',
    headers: request.headers,
    sourceAddress: request.ip,
    signal,
    body: (limit, abort) => readAll(request.raw, limit, abort),
  }
}

type Incoming = FastifyRequest['raw']

async function readAll(incoming: Incoming, limit: number, signal: AbortSignal): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let size = 0
  const take = (chunk: Buffer) => {
    size += chunk.length
    if (size > limit) reject(tooLarge(limit))
    else chunks.push(chunk)
  }
  const end = () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
  const abort = () => reject(signal.reason)
  if (Number(incoming.headers['content-length'] ?? 0) > limit) reject(tooLarge(limit))
  incoming.on('data', take).on('end', end).on('error', reject)
  // A client that went before we came to read sends no more events.
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', abort)
    incoming.off('data', take).off('end', end)
  }
}
