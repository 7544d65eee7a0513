import type { HttpClient, HttpRequest, HttpResponse } from '../../../src/ports/index.ts'

/** One call as it passed the HTTP port. */
export interface CountedCall {
  readonly method: string
  readonly sent: number
  readonly received: number
}

/** An HTTP client that counts what passes it: each call by its SOAP method, with the bytes of both bodies. */
export class CountedHttp implements HttpClient {
  readonly calls: CountedCall[] = []
  readonly #inner: HttpClient

  constructor(inner: HttpClient) {
    this.#inner = inner
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const text = String(request.body ?? '')
    const method = /<soapenv:Body><(\w+)/.exec(text)?.[1] ?? 'unknown'
    const response = await this.#inner.send(request)
    this.calls.push({ method, sent: text.length, received: response.body.byteLength })
    return response
  }

  stream(request: HttpRequest) {
    return this.#inner.stream(request)
  }

  close() {
    return this.#inner.close()
  }

  /** Forgets what was counted so far. */
  reset(): void {
    this.calls.length = 0
  }

  /** The calls besides those that wait for changes. */
  get commands(): readonly CountedCall[] {
    return this.calls.filter(({ method }) => method !== 'WaitForUpdatesEx')
  }

  get received(): number {
    return this.calls.reduce((sum, { received }) => sum + received, 0)
  }
}
