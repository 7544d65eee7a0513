/** The one of `words` that `typed` most likely was meant to be; undefined if none is close. */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase()
  let best: string | undefined
  let least = Math.max(1, Math.floor(typed.length / 3)) + 1
  for (const word of words) {
    const distance = editDistance(wanted, word.toLowerCase())
    if (distance < least) [best, least] = [word, distance]
  }
  return best
}

/** Letters to insert, drop, replace, or swap with their neighbour, to make one word of the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const replace = last[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      row.push(Math.min(replace, last[j]! + 1, row[j - 1]! + 1, swapped ? beforeLast[j - 2]! + 1 : Infinity))
    }
    beforeLast = last
    last = row
  }
  return last[to.length]!
}
