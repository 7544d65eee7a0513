import assert from 'node:assert/strict'
import type { Row } from '../sealed-row.ts'
import { type Disk, realDisk } from './disk.ts'
import { RecordWriter } from './record.ts'
import { Segment } from './segment.ts'
import { segmentFile } from './segment-files.ts'

/** Segments that are kept to be written anew; one is written while another is moved into the database. */
const mostSpare = 2

/**
 * Where commits wait on the disk until they are moved into the database, many at a time: a record for each, in segments that are
 * written one after another. It is made anew at each start, after what an earlier process left was moved.
 */
export class CommitLog {
  readonly #database: string
  readonly #installation: string
  readonly #disk: Disk
  readonly #writer = new RecordWriter()
  #made = 0
  #lastRevision: number | undefined
  #current: Segment | undefined
  readonly #ended: Segment[] = []
  readonly #spare: Segment[] = []

  /** `database` is the file beside which the segments are. */
  constructor(options: { readonly database: string; readonly installation: string; readonly disk?: Disk }) {
    this.#database = options.database
    this.#installation = options.installation
    this.#disk = options.disk ?? realDisk
  }

  /** What is complete and to be moved, oldest first. */
  get ended(): readonly Segment[] {
    return this.#ended
  }

  /** Bytes that are to be moved, what is not complete yet included. */
  get bytes(): number {
    const current = this.#current === undefined || this.#current.empty ? [] : [this.#current]
    return [...this.#ended, ...current].reduce((sum, { end }) => sum + end, 0)
  }

  /** Adds rows with consecutive revisions, all or, if it throws, none. They are on the disk after the next sync. */
  write(rows: readonly Row[]): void {
    const record = this.#writer.record(rows)
    assert(this.#lastRevision === undefined || rows[0]![0] === this.#lastRevision + 1, 'a commit follows on the one before')
    if (this.#current?.hasRoomFor(record) === false) this.end()
    this.#current ??= this.#spare.pop() ?? new Segment(segmentFile(this.#database, this.#made++), this.#installation, this.#disk)
    const lastRevision = rows.at(-1)![0]
    this.#current.write(record, lastRevision)
    this.#lastRevision = lastRevision
  }

  /** Waits until what was written last is on the disk. */
  sync(): void {
    this.#current!.sync()
  }

  /** The same without waiting here. */
  syncLater(): Promise<void> {
    return this.#current!.syncLater()
  }

  /** Completes the segment under way, if there is anything in it. */
  end(): void {
    if (this.#current === undefined || this.#current.empty) return
    this.#ended.push(this.#current)
    this.#current = undefined
  }

  /** Learns that the oldest complete segment was moved. It stays open, for somebody may still be waiting for its sync. */
  release(): void {
    const segment = this.#ended.shift()!
    if (this.#spare.length === mostSpare) this.#spare.shift()!.remove()
    segment.clear()
    this.#spare.push(segment)
  }

  /** Lets go of all files, and removes those in which is nothing that is not elsewhere. */
  close(): void {
    this.end()
    for (const segment of this.#ended) segment.close()
    for (const segment of this.#spare) segment.remove()
    this.#current?.remove()
  }
}
