import { Failure, type Secret } from '../../ports/index.ts'

/** What fits into a message that people read in passing. */
const mostCharacters = 600

/** Why something failed, for whoever wrote the job: the message and what to do, in one line, without secrets, not too long. */
export function causeOf(error: unknown, secrets: Iterable<Secret | undefined>): string {
  const message = error instanceof Error ? error.message : String(error)
  const fix = error instanceof Failure && error.fix !== undefined ? ` (${error.fix})` : ''
  const text = withoutSecrets(`${message}${fix}`.replace(/\s+/g, ' ').trim(), secrets)
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters - 1)}…`
}

function withoutSecrets(text: string, secrets: Iterable<Secret | undefined>): string {
  let clean = text
  for (const secret of secrets) {
    const value = secret?.reveal() ?? ''
    // Hardly a secret, and taking it out would make the text unreadable.
    if (value.length >= 4) clean = clean.replaceAll(value, '***')
  }
  return clean
}
