import type { FastifyReply } from 'fastify'
import type { StoreError } from '../../store/index.ts'

/** Answers with the Status that Kubernetes gives, beside the paths whose answers the API server makes itself. */
export function sendRefusal(reply: FastifyReply, { message, reason, status, details }: StoreError): FastifyReply {
  if (details.retryAfterSeconds !== undefined) void reply.header('retry-after', String(details.retryAfterSeconds))
  return reply.code(status).send({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code: status })
}
