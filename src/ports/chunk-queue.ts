import { PieceQueue } from './piece-queue.ts'

/** Bytes that may lie here unread before the sender is asked to pause. */
const enough = 256 * 1024

/** How the queue speaks to whoever fills it. */
export interface ChunkSource {
  pause(): void
  resume(): void
  /** The reader went away before the end. */
  cancel(): void
}

/** Pieces of a body on their way to their reader. */
export class ChunkQueue extends PieceQueue<Uint8Array> {
  readonly #source: ChunkSource
  #paused = false

  constructor(source: ChunkSource) {
    super()
    this.#source = source
  }

  push(chunk: Uint8Array): void {
    this.add(chunk)
    if (this.size <= enough || this.#paused) return
    this.#paused = true
    this.#source.pause()
  }

  protected override sizeOf(chunk: Uint8Array): number {
    return chunk.byteLength
  }

  protected override left(): void {
    this.#source.cancel()
  }

  protected override taken(): void {
    if (!this.#paused || this.size > enough / 2) return
    this.#paused = false
    this.#source.resume()
  }
}
