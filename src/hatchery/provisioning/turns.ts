/**
 * Whose turn it is when several wait: each in its place, and after the last one the first again. A3, B1, C2 are served as A, B, C, A,
 * C, A, also if they are asked for one at a time and others come or go in between.
 */
export class Turns {
  #last = -1

  /** The place of the next one that is eligible, counted from the one after whoever was last; undefined if none is. */
  next(isEligible: readonly boolean[]): number | undefined {
    for (let step = 1; step <= isEligible.length; step++) {
      const place = (this.#last + step) % isEligible.length
      if (isEligible[place] === true) {
        this.#last = place
        return place
      }
    }
    return undefined
  }

  /** Nobody waits any more: the first one is the next. */
  reset(): void {
    this.#last = -1
  }
}
