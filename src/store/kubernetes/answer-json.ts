import type { Kind } from '../../kinds/index.ts'
import type { HttpResponse } from '../../ports/index.ts'
import { StoreError } from '../errors.ts'

/** The JSON of a successful answer. What is none did not come from an API server: nothing may be concluded from it. */
export function answerJson(kind: Kind, answer: HttpResponse): object {
  const value = parsed(answer.text())
  if (typeof value === 'object' && value !== null) return value
  throw new StoreError('InternalError', `the answer about ${kind.plural} is no JSON object (HTTP status ${answer.status})`, {
    group: kind.group,
    kind: kind.plural,
    sent: true,
    fix: 'check that the URL is that of a Kubernetes API server and not of something in front of it',
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
