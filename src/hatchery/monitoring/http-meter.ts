import type { Counter, Histogram, Metrics } from '../../ports/index.ts'
import { httpMetrics } from './metric-catalogue.ts'

/** A request that was answered. */
export interface Answered {
  readonly handler: string
  readonly method: string
  readonly status: number
  readonly requestBytes: number
  readonly responseBytes: number
  readonly milliseconds: number
}

type Name = keyof typeof httpMetrics

const byteBuckets = [0, 1024, 2048, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304]
const millisecondBuckets = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 5000]

/** Counts requests to the hatchery's own server, under the names of the original. */
export class HttpMeter {
  readonly #metrics: Metrics
  readonly #service: { readonly service_name: string; readonly service_type: string }

  constructor(metrics: Metrics, hatchery: string) {
    this.#metrics = metrics
    this.#service = { service_name: hatchery, service_type: 'hatchery' }
    this.#counter('cds_http_router_router_hits').add(this.#service, 0)
    this.#counter('cds_http_router_router_errors').add(this.#service, 0)
  }

  count({ handler, method, status, requestBytes, responseBytes, milliseconds }: Answered): void {
    const route = { http_handler: handler }
    this.#counter('cds_http_router_router_hits').add(this.#service)
    if (status >= 400) this.#counter('cds_http_router_router_errors').add(this.#service)
    this.#counter('cds_http_server_request_count_by_handler').add(route)
    this.#counter('cds_http_server_request_count_by_method_and_handler').add({ ...route, http_method: method })
    this.#counter('cds_http_server_response_count_by_status_code_and_handler').add({ ...route, http_status: String(status) })
    this.#histogram('cds_http_server_request_bytes_by_handler', byteBuckets).observe(route, requestBytes)
    this.#histogram('cds_http_server_response_bytes_by_handler', byteBuckets).observe(route, responseBytes)
    this.#histogram('cds_http_server_latency_by_handler', millisecondBuckets).observe(route, milliseconds)
  }

  #counter(name: Name): Counter<string> {
    return this.#metrics.counter<string>({ name, help: httpMetrics[name].help, labels: httpMetrics[name].labels })
  }

  #histogram(name: Name, buckets: readonly number[]): Histogram<string> {
    return this.#metrics.histogram<string>({ name, help: httpMetrics[name].help, labels: httpMetrics[name].labels, buckets })
  }
}
