import { rehearse } from '../rehearse.ts'

/** What goes wrong in the rehearsals of these seeds, with how to see it happen again. */
export async function wrongsOf(from: number, to: number): Promise<readonly string[]> {
  const failed: string[] = []
  for (let seed = from; seed <= to; seed++) {
    const { wrongs } = await rehearse(seed)
    if (wrongs.length > 0) failed.push(`seed ${seed} (npm run rehearse -- --seed ${seed}): ${wrongs.join('; ')}`)
  }
  return failed
}

/** Seeds in groups of 25: `[1, 25], [26, 50], …`. */
export function groups(from: number, to: number): readonly (readonly [number, number])[] {
  const size = 25
  return Array.from({ length: Math.ceil((to - from + 1) / size) }, (_, index) => [
    from + index * size,
    Math.min(to, from + (index + 1) * size - 1),
  ])
}
