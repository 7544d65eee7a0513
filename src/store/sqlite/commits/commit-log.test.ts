import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
import type { Row } from '../sealed-row.ts'
import { CommitLog } from './commit-log.ts'
import { type Disk, realDisk } from './disk.ts'
import { segmentFiles } from './segment-files.ts'

const megabyte = 1024 * 1024

function newLog(disk: Disk = realDisk) {
  const database = join(temporaryFolder(), 'aviary.db')
  const log = new CommitLog({ database, installation: 'mine', disk })
  let revision = 1
  /** Commits one row with a body of so many bytes. */
  const commit = (bytes: number) => {
    const row: Row = [++revision, 'nests', `here/n${revision}`, 0, '{}', 'x'.repeat(bytes)]
    log.write([row])
    log.sync()
  }
  return { database, log, commit }
}

describe('the log of commits', () => {
  test('goes on in another segment when one is full, and tells which are complete', () => {
    const { log, commit } = newLog()
    for (let n = 0; n < 20; n++) commit(megabyte)
    expect(log.ended.map(({ lastRevision }) => lastRevision)).toEqual([8, 15])
    for (const { file, end } of log.ended) {
      expect(end).toBeGreaterThan(7 * megabyte)
      expect(statSync(file).size).toBe(8 * megabyte)
      expect(statSync(file).mode & 0o777).toBe(0o600)
    }
    expect(log.bytes).toBeGreaterThan(20 * megabyte)
    log.close()
  })

  test('gives a commit that is larger than any segment one for itself', () => {
    const { log, commit } = newLog()
    commit(100)
    commit(10 * megabyte)
    commit(100)
    expect(log.ended.map(({ lastRevision }) => lastRevision)).toEqual([2, 3])
    log.close()
  })

  test('writes segments anew whose content was moved, keeps few of them, and takes little at first', () => {
    const { database, log, commit } = newLog()
    commit(100)
    expect(statSync(segmentFiles(database)[0]!).size).toBeLessThan(megabyte)
    for (let round = 0; round < 30; round++) {
      commit(7 * megabyte)
      if (log.ended.length > 2) log.release()
    }
    while (log.ended.length > 0) log.release()
    expect(segmentFiles(database)).toHaveLength(3)
    log.close()
  })

  test('ends a segment when asked to, unless nothing is in it', () => {
    const { log, commit } = newLog()
    log.end()
    expect(log.ended).toEqual([])
    commit(100)
    log.end()
    log.end()
    expect(log.ended).toHaveLength(1)
    log.release()
    expect(log.bytes).toBe(0)
    log.close()
  })

  test('leaves no half of a segment where there is no room for a whole one', () => {
    let room = 100_000
    const write: Disk['write'] = (descriptor, bytes, position) => {
      realDisk.write(descriptor, bytes.subarray(0, room), position)
      if (bytes.length > room) throw new Error('no room')
      room -= bytes.length
    }
    const { database, log, commit } = newLog({ ...realDisk, write })
    expect(() => commit(100)).toThrow('no room')
    expect(segmentFiles(database)).toEqual([])
    room = Infinity
    commit(100)
    expect(segmentFiles(database)).toHaveLength(1)
    log.close()
  })

  test('leaves behind when it is closed what nobody has moved, and nothing else', () => {
    const { database, log, commit } = newLog()
    commit(7 * megabyte)
    commit(7 * megabyte)
    const [moved] = log.ended
    log.release()
    commit(7 * megabyte)
    const [ended] = log.ended
    log.close()
    expect(existsSync(moved!.file)).toBe(true)
    expect(segmentFiles(database).toSorted()).toEqual([moved!.file, ended!.file].toSorted())
  })
})
