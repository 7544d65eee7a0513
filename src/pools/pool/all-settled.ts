/** Requests at one time. */
const atOnce = 16

/** Does something for each item, several at a time; what failed is thrown when all have been tried. */
export async function forAll<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = []
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) await work(item).catch((error: unknown) => void failures.push(error))
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  if (failures.length > 0) throw failures[0]
}
