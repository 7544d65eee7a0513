/** The file system, as far as this program uses it. Paths are the machine's own. */
export interface Files {
  /** The text of a file; rejects with `FileNotFound` or `FileNotReadable`, which name the path and the reason. */
  read(path: string): Promise<string>
  /** Undefined where `read` would reject with `FileNotFound`. */
  readIfThere(path: string): Promise<string | undefined>
  /**
   * Replaces a file as a whole: readers see the old or the new content, also after a power cut. Missing folders are made.
   * Rejects with `FileNotWritable`, which names the path and the reason.
   */
  write(path: string, content: string | Uint8Array, options?: { readonly mode?: number }): Promise<void>
  /** Adds to the end of a file, which is made if it is missing. */
  append(path: string, content: string, options?: { readonly mode?: number }): Promise<void>
  /** Makes a folder and those above it. */
  makeFolder(path: string, options?: { readonly mode?: number }): Promise<void>
  /** The names in a folder, sorted; empty if the folder is missing. */
  names(path: string): Promise<readonly string[]>
  exists(path: string): Promise<boolean>
  /** Removes a file, or a folder with all that is in it. Does nothing if it is missing. */
  remove(path: string): Promise<void>
}
