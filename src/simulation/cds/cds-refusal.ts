import type { ServedResponse } from '../../ports/index.ts'

/** The numbers, statuses and texts with which CDS refuses. Clients tell refusals apart by the number alone. */
const refusals = {
  unknown: { id: 1, status: 500, message: 'internal server error' },
  notAuthenticated: { id: 10, status: 401, message: 'not authenticated' },
  forbidden: { id: 11, status: 403, message: 'forbidden' },
  notFound: { id: 38, status: 404, message: 'resource not found' },
  wrongRequest: { id: 74, status: 400, message: 'wrong request' },
  alreadyBooked: { id: 89, status: 403, message: 'Job already booked' },
  alreadyTaken: { id: 91, status: 410, message: 'This job is already taken by another worker' },
  methodNotAllowed: { id: 105, status: 405, message: 'Method not allowed' },
  modelAlreadyBooked: { id: 115, status: 403, message: 'Worker Model already booked' },
  notBooked: { id: 135, status: 400, message: 'Job already released' },
  invalidData: { id: 149, status: 400, message: 'Cannot validate given data' },
} as const

/** Why CDS does not do what it is asked. */
export type Reason = keyof typeof refusals

/** CDS says no. `from` is what it adds for people; it often says nothing, as the real one does. */
export class CdsRefusal extends Error {
  readonly reason: Reason
  readonly from: string | undefined

  constructor(reason: Reason, from?: string) {
    super(from ?? refusals[reason].message)
    this.reason = reason
    this.from = from
  }

  /** What the client gets to read. */
  answer(requestId: string): ServedResponse {
    const { id, status, message } = refusals[this.reason]
    const body = { id, message, request_id: requestId, ...(this.from !== undefined && { from: this.from }) }
    return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  }
}
