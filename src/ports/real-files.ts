import { randomUUID } from 'node:crypto'
import { appendFile, mkdir, open, readFile, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FileNotFound, FileNotReadable, FileNotWritable } from './errors.ts'
import type { Files } from './files.ts'
import { codeOf, whyItFailed } from './text.ts'

/** The machine's file system. */
export function realFiles(): Files {
  return Object.freeze({
    async read(path) {
      const content = await readIfThere(path)
      if (content === undefined) throw FileNotFound({ path })
      return content
    },
    readIfThere,
    write: (path, content, options) => writing(path, () => replace(path, content, options?.mode)),
    append: (path, content, options) =>
      writing(path, async () => {
        await makeFolders(dirname(path))
        await appendFile(path, content, { mode: options?.mode ?? 0o666 })
      }),
    makeFolder: (path, options) => writing(path, () => makeFolders(path, options?.mode)),
    names: async path => (await reading(path, () => readdir(path)))?.toSorted() ?? [],
    exists: async path => (await reading(path, () => stat(path))) !== undefined,
    remove: path => writing(path, () => rm(path, { recursive: true, force: true })),
  } satisfies Files)
}

function readIfThere(path: string): Promise<string | undefined> {
  return reading(path, () => readFile(path, 'utf8'))
}

/**
 * Writes a new file beside the old one and gives it the old one's name, which the file system does in one step. The content is
 * on the disk before the name is, and the name before this resolves.
 */
async function replace(path: string, content: string | Uint8Array, mode: number | undefined): Promise<void> {
  // A symbolic link stays one: what it points to is replaced.
  const target = (await unlessMissing(() => realpath(path))) ?? path
  const folder = dirname(target)
  await makeFolders(folder)
  const keptMode = mode ?? (await unlessMissing(() => stat(target)))?.mode
  const temporary = join(folder, `.${basename(target).slice(0, 100)}.${randomUUID()}.new`)
  try {
    const file = await open(temporary, 'wx', mode ?? 0o666)
    try {
      // Not left to `open`, which takes away what the process's umask forbids.
      if (keptMode !== undefined) await file.chmod(keptMode & 0o7777)
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(folder)
}

/** Not Node's recursive mkdir: where the system answers "not found" for good, as below /proc, that one tries for ever. */
async function makeFolders(path: string, mode = 0o777): Promise<void> {
  if (await isFolder(path)) return
  if (dirname(path) !== path) await makeFolders(dirname(path), mode)
  try {
    await mkdir(path, mode)
  } catch (error) {
    // Somebody else may have been faster.
    if (!(await isFolder(path))) throw error
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await unlessMissing(() => stat(path))
  if (found === undefined || found.isDirectory()) return found !== undefined
  throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' })
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Does `work`; undefined if the path is missing, `FileNotReadable` if anything else stands in the way. */
async function reading<T>(path: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await unlessMissing(work)
  } catch (error) {
    throw FileNotReadable({ path, why: whyItFailed(error) }, { cause: error })
  }
}

async function writing(path: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw FileNotWritable({ path, why: whyItFailed(error) }, { cause: error })
  }
}
