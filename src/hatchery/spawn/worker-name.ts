import type { Chance } from '../../ports/index.ts'
import { adjectives, nouns } from './worker-words.ts'

/** What a host name may have, because the worker's name is its host's too. */
const mostCharacters = 63

/**
 * A name that nobody has yet: `brave-heron`, `calm-and-merry-wren`, with a prefix `register-bold-owl`. Letters, digits and single
 * hyphens, at most 63 characters. `isTaken` is asked of the whole inventory: VMs of others have names too.
 */
export function workerName(chance: Chance, isTaken: (name: string) => boolean, prefix = ''): string {
  for (let tries = 1; ; tries++) {
    // Words run out at some time; a few letters of chance never do.
    const more = tries > 50 ? `-${chance.suffix(5)}` : ''
    const name = slug(`${prefix}-${words(chance)}${more}`)
    if (name.length <= mostCharacters && !isTaken(name)) return name
  }
}

/** Only what names of hosts may have: everything else becomes a hyphen, never two in a row, none at either end. */
export function slug(text: string): string {
  return text
    .replace(/[^a-zA-Z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase()
}

function words(chance: Chance): string {
  const [one, other, noun] = [chance.pick(adjectives), chance.pick(adjectives), chance.pick(nouns)]
  return chance.pick([`${one}-${noun}`, `${one}-and-${other}-${noun}`, `${one}-but-${other}-${noun}`])
}
