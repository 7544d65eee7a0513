import { StringDecoder } from 'node:string_decoder'

/** Cuts an output into lines as it comes. A line that never ends is given out in pieces of `longest` characters. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8')
  readonly #longest: number
  readonly #onLine: (line: string) => void
  #rest = ''

  constructor(longest: number, onLine: (line: string) => void) {
    this.#longest = longest
    this.#onLine = onLine
  }

  add(chunk: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n')
    this.#rest = lines.pop() as string
    for (const line of lines) this.#onLine(line.endsWith('\r') ? line.slice(0, -1) : line)
    while (this.#rest.length > this.#longest) {
      this.#onLine(this.#rest.slice(0, this.#longest))
      this.#rest = this.#rest.slice(this.#longest)
    }
  }

  /** Gives out what came after the last line end. */
  finish(): void {
    const rest = this.#rest + this.#decoder.end()
    this.#rest = ''
    if (rest !== '') this.#onLine(rest)
  }
}
