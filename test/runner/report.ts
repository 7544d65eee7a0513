/** How single tests went. A check, such as the linter, counts as one test. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export const onePassed: Counts = { passed: 1, failed: 0, skipped: 0 }
export const oneFailed: Counts = { passed: 0, failed: 1, skipped: 0 }

/** `3 passed, 0 failed, 1 skipped` */
export function countsText({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}

/** What a run tells the person who waits for it: plain lines with the seconds since its start, and the sum at the end. */
export class Report {
  readonly #start = Date.now()
  readonly #print: (line: string) => void
  #total: Counts = { passed: 0, failed: 0, skipped: 0 }

  constructor(print: (line: string) => void = line => process.stdout.write(`${line}\n`)) {
    this.#print = print
  }

  /** A line about one part of the run. */
  say(part: string, line: string): void {
    const seconds = Math.round((Date.now() - this.#start) / 1000)
    this.#print(`[${String(seconds).padStart(4)} s] ${part}: ${line}`)
  }

  /** Text as it is: what a tool printed. */
  show(text: string): void {
    this.#print(text.trimEnd())
  }

  add(counts: Counts): void {
    this.#total = {
      passed: this.#total.passed + counts.passed,
      failed: this.#total.failed + counts.failed,
      skipped: this.#total.skipped + counts.skipped,
    }
  }

  /** Prints the closing line and gives the exit code. A run in which nothing at all ran is no success. */
  close(): number {
    this.#print(countsText(this.#total))
    return this.#total.failed > 0 || this.#total.passed === 0 ? 1 : 0
  }
}
