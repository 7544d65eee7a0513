/** A number with what is counted, in words that fit: `1 claim waits`, `2 claims wait`. */
export function counted(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`
}
