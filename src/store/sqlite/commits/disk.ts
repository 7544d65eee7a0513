import { fdatasync, fdatasyncSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'

/** As much of a disk as commits need: what is done with a file that is open. In tests there are also some that fail. */
export interface Disk {
  /** Writes all of it, or throws and may have written some. */
  write(descriptor: number, bytes: Buffer, position: number): void
  /** Returns when what was written will survive a power cut. */
  sync(descriptor: number): void
  /** The same without waiting here. */
  syncLater(descriptor: number): Promise<void>
}

/** Not fsync, which also waits until the file's time of change is recorded, and with it for whatever else the file system has under way. */
export const realDisk: Disk = {
  write(descriptor, bytes, position) {
    for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done, bytes.length - done, position + done)
  },
  sync: descriptor => fdatasyncSync(descriptor),
  syncLater: promisify(fdatasync),
}
