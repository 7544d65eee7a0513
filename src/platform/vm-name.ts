import type { Chance } from '../ports/index.ts'
import { VmNameNotValid } from './errors.ts'

/** What vSphere takes; others take more. */
const mostCharacters = 80

/** What a name made here ends with, at least: few enough to read, enough that two never meet. */
const suffixLength = 5

/** Why a VM cannot be named so; undefined if it can. */
export function vmNameProblem(name: string): string | undefined {
  if (name === '') return 'it is empty'
  if (name.length > mostCharacters) return `it has ${name.length} characters, ${mostCharacters} are allowed`
  // Platforms escape these as %2f and so on, so that the VM would not be found by the name that was chosen.
  const odd = /[/\\%]|\p{Cc}/u.exec(name)?.[0]
  if (odd !== undefined) return `it contains ${JSON.stringify(odd)}`
  return name.trim() === name ? undefined : 'it begins or ends with a space'
}

/** The name, or VmNameNotValid. */
export function vmName(name: string): string {
  const why = vmNameProblem(name)
  if (why !== undefined) throw VmNameNotValid({ name, why })
  return name
}

/** A name that begins with `prefix` and that `isTaken` does not know: `web-x7k2p`. A prefix that is too long loses its end. */
export function generateVmName(prefix: string, chance: Chance, isTaken: (name: string) => boolean): string {
  const short = vmName(prefix.slice(0, mostCharacters - suffixLength - 1))
  for (let length = suffixLength; ; length++) {
    for (let tries = 0; tries < 10; tries++) {
      const name = `${short.slice(0, mostCharacters - length - 1)}-${chance.suffix(length)}`
      if (!isTaken(name)) return name
    }
  }
}
