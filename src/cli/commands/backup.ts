import { basename, dirname, join, resolve } from 'node:path'
import { type Files, FileNotWritable } from '../../ports/index.ts'
import { backupPath } from '../../server/index.ts'
import { BackupTargetNotBackup, FolderFileTaken, isBackup, isStoreFile, storeFiles } from '../../store/index.ts'
import type { ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import { BackupIncomplete } from '../errors.ts'
import type { Io } from '../io.ts'
import { serverRefusal } from '../server-refusal.ts'

/** A database larger than this is copied with the server stopped. */
const mostBytes = 2 ** 31
const patience = 10 * 60_000
const noDatabase = {
  message: 'this server has no database of its own to back up',
  fix: 'back up the cluster that it runs on, by its own means',
}

/** `aviary backup`: the file appears whole or not at all. */
export async function run([file = '']: readonly string[], options: ConnectionOptions, io: Io): Promise<void> {
  const target = resolve(io.folder, file)
  // Not made here: it may be the place of a disk that is not mounted.
  if (!(await io.files.exists(dirname(target)))) throw FileNotWritable({ path: target, why: `there is no folder ${dirname(target)}` })
  await checkTarget(target, io.files)
  await connected(options, io, async ({ access, http }) => {
    const headers = await access.credentials.headers()
    const answer = await http.send({
      method: 'GET',
      url: `${access.server}${backupPath}`,
      headers,
      timeout: patience,
      maxBytes: mostBytes,
      signal: io.signal,
    })
    if (answer.status !== 200) throw serverRefusal(answer, noDatabase)
    const expected = Number(answer.headers['content-length'] ?? answer.body.length)
    if (answer.body.length !== expected) throw BackupIncomplete({ got: answer.body.length, expected })
    // Again: the download may have taken minutes.
    await checkTarget(target, io.files)
    await io.files.write(target, answer.body, { mode: 0o600 })
    io.out(`${answer.body.length} bytes written to ${target}\n`)
  })
}

/** Throws FolderFileTaken or BackupTargetNotBackup if something other than an older backup would be replaced. */
async function checkTarget(target: string, files: Files): Promise<void> {
  if (await isTaken(target, files)) throw FolderFileTaken({ file: target })
  if ((await files.exists(target)) && !isBackup(target)) throw BackupTargetNotBackup({ file: target })
}

/** Whether a store lives in that file, perhaps the very one that is to be copied: it would go on writing to a file without a name. */
async function isTaken(target: string, files: Files): Promise<boolean> {
  const inDataFolder = await files.exists(join(dirname(target), storeFiles.owner))
  return (inDataFolder && isStoreFile(basename(target))) || (await files.exists(`${target}-wal`))
}
