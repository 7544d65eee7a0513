/** Commands that a page shows to its readers, and what a test does with them. */
export interface ShellBlock {
  /** `start` is run until it is ready, `running` while it runs; `tests` and `only-shown` are not run by a test. */
  readonly mark: string
  readonly commands: string
  readonly line: number
}

export const marks: readonly string[] = ['start', 'running', 'tests', 'only-shown']

/** The fenced blocks of a page that hold shell commands: ```` ```sh MARK ````. */
export function shellBlocks(text: string): ShellBlock[] {
  return [...text.matchAll(/^```(?:sh|bash|shell)\b ?(.*)\n([^]*?)^```$/gm)].map(({ 1: mark = '', 2: commands = '', index }) => ({
    mark,
    commands,
    line: text.slice(0, index).split('\n').length,
  }))
}
