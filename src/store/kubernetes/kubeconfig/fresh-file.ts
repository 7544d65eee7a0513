import type { Clock, Files } from '../../../ports/index.ts'

/** How long a file's content is taken to be what it was: as long as the kubelet may take to put a new token in place. */
const maxAge = 60_000

/** A file that somebody else renews: read again when it was read a while ago, or when its content turned out to be of no use. */
export class FreshFile {
  readonly #path: string
  readonly #files: Files
  readonly #clock: Clock
  #content: { readonly text: string; readonly readAt: number } | undefined

  constructor(path: string, { files, clock }: { readonly files: Files; readonly clock: Clock }) {
    this.#path = path
    this.#files = files
    this.#clock = clock
  }

  async read(): Promise<string> {
    const now = this.#clock.monotonic()
    if (this.#content === undefined || now - this.#content.readAt >= maxAge) {
      this.#content = { text: await this.#files.read(this.#path), readAt: now }
    }
    return this.#content.text
  }

  /** The next read goes to the file. */
  forget(): void {
    this.#content = undefined
  }
}
