import type { FastifyReply } from 'fastify'
import type { Metrics } from '../../ports/index.ts'

/** Where Prometheus looks. */
export const metricsPath = '/metrics'

/** Sends all metrics in the Prometheus text format. */
export async function sendMetrics(metrics: Metrics, reply: FastifyReply): Promise<string> {
  void reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  return await metrics.text()
}
