/** The value in the middle: half of the rounds did better, half did worse. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** The value below which the given fraction of all values lies. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN
}
