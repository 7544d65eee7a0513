import type { HttpResponse } from '../ports/index.ts'
import { StoreError, statusOf } from '../store/index.ts'
import type { StoreReason } from '../store/index.ts'

/** Why the server did not answer a request for one of its own pages, as the store's error, so that exit codes are the same everywhere. */
export function serverRefusal(answer: HttpResponse, ifMissing: { readonly message: string; readonly fix: string }): StoreError {
  if (answer.status === 404) return new StoreError('NotFound', ifMissing.message, { fix: ifMissing.fix })
  const { reason = '', message = `the server answered ${answer.status}` } = statusIn(answer)
  return new StoreError(reason in statusOf ? (reason as StoreReason) : 'InternalError', message)
}

/** What stands between us and the server may answer in words of its own. */
function statusIn(answer: HttpResponse): { readonly reason?: string; readonly message?: string } {
  try {
    return JSON.parse(answer.text()) as { reason?: string; message?: string }
  } catch {
    return {}
  }
}
