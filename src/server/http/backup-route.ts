import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import type { Chance, Files, Log } from '../../ports/index.ts'
import type { SqliteStore } from '../../store/index.ts'

/** Where an administrator fetches a backup. */
export const backupPath = '/aviary/backup'

const unfinished = /^backup-[a-z0-9]+\.tmp(\.unfinished.*)?$/

/** What is copied, and where the copy waits until it is sent. */
export interface BackupOptions {
  readonly store: Pick<SqliteStore, 'backup'>
  /** The data folder: a copy needs as much room there for a while. */
  readonly folder: string
  readonly files: Files
  readonly chance: Chance
  readonly log: Log
}

/**
 * Sends a consistent copy of the database while the server goes on working. It is sent, not written where the caller says: an
 * administrator's token should not be a way to write files on the server. The length is told first, so that a copy that was cut
 * off on its way is noticed.
 */
export async function sendBackup({ store, folder, files, chance, log }: BackupOptions, reply: FastifyReply): Promise<FastifyReply> {
  const file = join(folder, `backup-${chance.suffix(10)}.tmp`)
  try {
    await store.backup(file)
    const { size } = await stat(file)
    const stream = createReadStream(file)
    stream.once('close', () => {
      files
        .remove(file)
        .catch((error: unknown) => log.warn('the copy of a backup was not removed; the next start does it', { file, error }))
    })
    return await reply.header('content-type', 'application/vnd.sqlite3').header('content-length', size).send(stream)
  } catch (error) {
    await files.remove(file)
    throw error
  }
}

/** Removes what a crash amid a backup left behind. */
export async function removeUnfinishedBackups({ folder, files }: Pick<BackupOptions, 'folder' | 'files'>): Promise<void> {
  for (const name of await files.names(folder)) if (unfinished.test(name)) await files.remove(join(folder, name))
}
