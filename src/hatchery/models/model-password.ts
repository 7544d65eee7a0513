import { Secret } from '../../ports/index.ts'

/** A password that a worker model gives, or why it gives none that can be used. */
export interface ModelPassword {
  readonly password: Secret | undefined
  readonly passwordProblem: string | undefined
}

const secretVariable = /\{\{\s*\.(secrets\.[\w.-]+)\s*\}\}/g

/** What CDS puts in the place of a value that `cdsctl encrypt` made secret: a random identifier. */
const encrypted = /^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/

/** Whether a V1 password needs the model's secrets to be read. */
export function needsSecrets(password: string): boolean {
  return password.includes('{{')
}

/** A V1 model's password with `{{.secrets.x}}` filled in. */
export function passwordV1(text: string, secrets: ReadonlyMap<string, Secret>): ModelPassword {
  const missing = Array.from(text.matchAll(secretVariable), ([, name = '']) => name).filter(name => !secrets.has(name))
  if (missing.length > 0) return problem(`its password names ${missing.join(', ')}, and CDS gave no such secret`)
  const filled = text.replaceAll(secretVariable, (_, name: string) => secrets.get(name)?.reveal() ?? '')
  return filled === '' ? problem('it has no password') : { password: new Secret(filled), passwordProblem: undefined }
}

/** A V2 model's password, which comes as it stands in the repository: only a plain one can be used. */
export function passwordV2(text: string): ModelPassword {
  if (text === '') return problem('it has no password')
  if (text.includes('${{')) return problem('its password is a ${{ … }}, which CDS does not fill in for hatcheries')
  if (encrypted.test(text)) return problem('its password is encrypted, and CDS does not decrypt it for the jobs of a hatchery')
  return { password: new Secret(text), passwordProblem: undefined }
}

function problem(passwordProblem: string): ModelPassword {
  return { password: undefined, passwordProblem }
}
