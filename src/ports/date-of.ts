/** A moment as the Date that some libraries insist on. Everything of our own keeps milliseconds. */
export function dateOf(milliseconds: number): Date {
  return new Date(milliseconds)
}
