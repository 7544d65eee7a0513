import type { Io } from '../io.ts'

/** One line about what is being waited for: written over on a terminal, printed when it changes otherwise. */
export class Progress {
  readonly #io: Io
  #shown = ''

  constructor(io: Io) {
    this.#io = io
  }

  /** Shows a new state. The same again prints nothing. */
  show(line: string): void {
    if (line === this.#shown) return
    this.#shown = line
    if (!this.#io.canRedraw) return this.#io.err(`${line}\n`)
    this.#io.err(`\r\u001b[K${line.slice(0, (this.#io.columns ?? 80) - 1)}`)
  }

  /** Leaves nothing behind on a terminal. */
  clear(): void {
    if (this.#io.canRedraw && this.#shown !== '') this.#io.err('\r\u001b[K')
    this.#shown = ''
  }
}
