import { closeSync, fsyncSync, openSync, readSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncPath } from '../sync-path.ts'
import type { Disk } from './disk.ts'
import { blockSize, recordAt } from './record.ts'

/** Once this much is in a segment another one is begun. A larger record has one for itself. */
const fullSegment = 8 * 1024 * 1024
/** What a new segment begins with; it doubles when it is needed. */
const firstBytes = 256 * 1024
const zeros = Buffer.alloc(firstBytes)

/**
 * A file with one record after another. Its space is taken from the file system before it is needed, and when its records are
 * elsewhere it is written anew from the start: a sync then has only the record itself to wait for, not the file's length.
 */
export class Segment {
  readonly file: string
  readonly #disk: Disk
  readonly #descriptor: number
  #taken = 0
  #end = blockSize
  #lastRevision = 0

  /** Makes a new segment. Its name is on the disk when this returns. */
  constructor(file: string, installation: string, disk: Disk) {
    this.file = file
    this.#disk = disk
    // For its owner only: secrets are in it.
    this.#descriptor = openSync(file, 'wx+', 0o600)
    try {
      this.#take(firstBytes)
      this.#disk.write(this.#descriptor, segmentHeader(installation), 0)
      fsyncSync(this.#descriptor)
      syncPath(dirname(file))
    } catch (error) {
      this.remove()
      throw error
    }
  }

  /** Where its records end. */
  get end(): number {
    return this.#end
  }

  get empty(): boolean {
    return this.#end === blockSize
  }

  /** The revision of the last row in it. */
  get lastRevision(): number {
    return this.#lastRevision
  }

  hasRoomFor(record: Buffer): boolean {
    return this.empty || this.#end + record.length <= fullSegment
  }

  /** Adds a record; if that fails it is as if it had not been tried. */
  write(record: Buffer, lastRevision: number): void {
    const end = this.#end + record.length
    if (end > this.#taken) this.#take(Math.max(end, Math.min(2 * this.#taken, fullSegment)))
    try {
      this.#disk.write(this.#descriptor, record, this.#end)
    } catch (error) {
      this.#undo(record.length, lastRevision, error)
      throw error
    }
    this.#end = end
    this.#lastRevision = lastRevision
  }

  /** A start that finds all of a record would take it for acknowledged, and only its padding may be what did not get through. */
  #undo(length: number, lastRevision: number, failed: unknown): void {
    const bytes = Buffer.alloc(length)
    readSync(this.#descriptor, bytes, 0, length, this.#end)
    // An old one may stand there, too, if nothing got through.
    if (recordAt(bytes, 0)?.lastRevision !== lastRevision) return
    try {
      this.#disk.write(this.#descriptor, zeros.subarray(0, blockSize), this.#end)
    } catch {
      throw new Error('a commit that failed cannot be undone', { cause: failed })
    }
  }

  sync(): void {
    this.#disk.sync(this.#descriptor)
  }

  syncLater(): Promise<void> {
    return this.#disk.syncLater(this.#descriptor)
  }

  /** Begins anew. What is in it stays until it is written over, and is known to be old by its revisions. */
  clear(): void {
    this.#end = blockSize
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  /** Removes it, if that is possible: a start that finds it knows that it is old. */
  remove(): void {
    this.close()
    try {
      rmSync(this.file, { force: true })
    } catch {
      // The disk may have become one that can only be read.
    }
  }

  #take(bytes: number): void {
    for (let at = this.#taken; at < bytes; at += zeros.length) {
      this.#disk.write(this.#descriptor, zeros.subarray(0, bytes - at), at)
    }
    this.#taken = bytes
  }
}

const introduction = 'Aviary commits 1'

/** The first block of a segment: which installation it belongs to. */
function segmentHeader(installation: string): Buffer {
  const block = Buffer.alloc(blockSize)
  block.write(`${introduction}\n${installation}\n`)
  return block
}

/** What a file is to an installation: its own segment, one that was just about to be made, somebody else's, or none at all. */
export type Belonging = 'own' | 'unfinished' | 'foreign' | 'none'

/** Tells by the first block of a file what it is. */
export function belonging(bytes: Buffer, installation: string): Belonging {
  const header = bytes.subarray(0, blockSize)
  const [first, owner] = header.toString().split('\n')
  if (first === introduction) return owner === installation ? 'own' : 'foreign'
  return header.every(byte => byte === 0) ? 'unfinished' : 'none'
}
