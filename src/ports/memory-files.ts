import { dirname, resolve } from 'node:path'
import { FileNotFound, FileNotReadable, FileNotWritable } from './errors.ts'
import type { Files } from './files.ts'

const itIsAFolder = 'it is a folder (EISDIR)'
const aFileIsInTheWay = 'a part of the path is a file, not a folder (ENOTDIR)'

/** A file system that is gone with the process: for rehearsals and tests. Starts with `content`, by path. */
export function memoryFiles(content: Readonly<Record<string, string>> = {}): Files {
  const files = new MemoryFiles()
  for (const [path, text] of Object.entries(content)) files.put(path, text)
  return files
}

class MemoryFiles implements Files {
  readonly #files = new Map<string, string>()
  readonly #folders = new Set<string>(['/'])

  async read(path: string): Promise<string> {
    const content = await this.readIfThere(path)
    if (content === undefined) throw FileNotFound({ path })
    return content
  }

  async readIfThere(path: string): Promise<string | undefined> {
    const place = resolve(path)
    if (this.#folders.has(place)) throw FileNotReadable({ path, why: itIsAFolder })
    if (this.#fileAbove(place)) throw FileNotReadable({ path, why: aFileIsInTheWay })
    return this.#files.get(place)
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    this.put(path, typeof content === 'string' ? content : new TextDecoder().decode(content))
  }

  async append(path: string, content: string): Promise<void> {
    this.put(path, (this.#files.get(resolve(path)) ?? '') + content)
  }

  async makeFolder(path: string): Promise<void> {
    const place = resolve(path)
    if (this.#files.has(place)) throw FileNotWritable({ path, why: aFileIsInTheWay })
    if (this.#fileAbove(place)) throw FileNotWritable({ path, why: aFileIsInTheWay })
    this.#addFolders(place)
  }

  async names(path: string): Promise<readonly string[]> {
    const place = resolve(path)
    if (this.#files.has(place) || this.#fileAbove(place)) throw FileNotReadable({ path, why: aFileIsInTheWay })
    const inside = place === '/' ? place : `${place}/`
    const names = new Set<string>()
    for (const other of [...this.#files.keys(), ...this.#folders]) {
      const name = other.startsWith(inside) ? other.slice(inside.length).split('/')[0] : undefined
      if (name !== undefined && name !== '') names.add(name)
    }
    return [...names].toSorted()
  }

  async exists(path: string): Promise<boolean> {
    const place = resolve(path)
    if (this.#fileAbove(place)) throw FileNotReadable({ path, why: aFileIsInTheWay })
    return this.#files.has(place) || this.#folders.has(place)
  }

  async remove(path: string): Promise<void> {
    const place = resolve(path)
    if (this.#fileAbove(place)) throw FileNotWritable({ path, why: aFileIsInTheWay })
    const isInside = (other: string) => other === place || other.startsWith(`${place}/`)
    for (const other of this.#files.keys()) if (isInside(other)) this.#files.delete(other)
    for (const other of this.#folders) if (isInside(other)) this.#folders.delete(other)
  }

  put(path: string, content: string): void {
    const place = resolve(path)
    if (this.#folders.has(place)) throw FileNotWritable({ path, why: itIsAFolder })
    if (this.#fileAbove(place)) throw FileNotWritable({ path, why: aFileIsInTheWay })
    this.#addFolders(dirname(place))
    this.#files.set(place, content)
  }

  #addFolders(place: string): void {
    for (let folder = place; !this.#folders.has(folder); folder = dirname(folder)) this.#folders.add(folder)
  }

  /** Whether what should be a folder above `place` is a file. */
  #fileAbove(place: string): boolean {
    for (let folder = dirname(place); folder !== '/'; folder = dirname(folder)) if (this.#files.has(folder)) return true
    return false
  }
}
