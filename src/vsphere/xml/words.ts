/** How many words are remembered, a power of two. vCenter's answers use a few hundred. */
const room = 4096

/** Longer ones are no words, and would fill the memory with what occurs once. */
const longest = 100

const known: (string | undefined)[] = Array.from({ length: room }, () => undefined)

/** Takes one more character into the number by which a word is found. Begins with 0. */
export function mix(mixed: number, code: number): number {
  return (mixed * 31 + code) | 0
}

/**
 * The word that stands in a document from `begin` to before `end`, whose characters were mixed to `mixed`. Names of elements, types
 * and properties occur again and again: each is made once and then recognised in place, which costs half of cutting it out each
 * time. The result is a text of its own that keeps nothing else alive. What is remembered changes no answer, only how long it takes.
 */
export function wordAt(source: string, begin: number, end: number, mixed: number): string {
  const length = end - begin
  if (length > longest) return own(source.slice(begin, end))
  const slot = mixed & (room - 1)
  const word = known[slot]
  if (word !== undefined && word.length === length && source.startsWith(word, begin)) return word
  return (known[slot] = own(source.slice(begin, end)))
}

/**
 * A text that is not a view into another one, which would live as long as it. As the key of an object it becomes the very text that
 * our own code has in the same place, so that comparing the two takes no look at their letters.
 */
function own(text: string): string {
  return Object.keys({ [Buffer.from(text).toString()]: 0 })[0] as string
}
