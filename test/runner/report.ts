/** How single tests went. A check, such as the linter, counts as one test. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export const onePassed: Counts = { passed: 1, failed: 0, skipped: 0 }
export const oneFailed: Counts = { passed: 0, failed: 1, skipped: 0 }

/** `3 passed, 0 failed, 1 skipped` */
function countsText({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}

/** What a run prints: plain lines with the seconds since its start, then the time of each group and the sum. */
export class Report {
  readonly #print: (line: string) => void
  readonly #now: () => number
  readonly #start: number
  readonly #begun = new Map<string, number>()
  readonly #took = new Map<string, number>()
  #total: Counts = { passed: 0, failed: 0, skipped: 0 }

  constructor(print: (line: string) => void = line => process.stdout.write(`${line}\n`), now: () => number = Date.now) {
    this.#print = print
    this.#now = now
    this.#start = now()
  }

  /** A line about one part of the run. */
  say(part: string, line: string): void {
    const seconds = Math.round((this.#now() - this.#start) / 1000)
    this.#print(`[${String(seconds).padStart(4)} s] ${part}: ${line}`)
  }

  /** A group starts. */
  begin(group: string, line: string): void {
    this.#begun.set(group, this.#now())
    this.say(group, line)
  }

  /** A group has ended. */
  end(group: string, counts: Counts): void {
    this.#took.set(group, this.#now() - (this.#begun.get(group) ?? this.#start))
    this.say(group, countsText(counts))
    this.add(counts)
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

  /** Prints the time of each group, slowest first, and the closing line; gives the exit code. A run in which nothing ran has failed. */
  close(): number {
    if (this.#took.size > 1) {
      this.#print('seconds per group:')
      for (const [group, time] of [...this.#took].toSorted(([, a], [, b]) => b - a)) {
        this.#print(`${String(Math.round(time / 1000)).padStart(6)}  ${group}`)
      }
    }
    this.#print(countsText(this.#total))
    return this.#total.failed > 0 || this.#total.passed === 0 ? 1 : 0
  }
}
