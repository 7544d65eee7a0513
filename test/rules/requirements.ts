import { testTitles, type TitlePath } from './test-titles.ts'

/** One row of docs/requirements: what is demanded, and the tests that prove it. */
interface Requirement {
  readonly line: number
  readonly tests: readonly { readonly file: string; readonly name: string }[]
}

/**
 * What is wrong with a page of requirements. Each row of its tables ends with the tests that prove it, written as
 * `` `src/store/watch.test.ts` › a watcher that reads too slowly is cut off `` and separated by `<br>`. Where two tests of a file have
 * one title, that of the `describe` around it comes first, with a `›` between them.
 */
export function requirementProblems(page: string, text: string, read: (path: string) => string | undefined): string[] {
  const rows = requirements(text)
  if (rows.length === 0) return [`${page} states no requirement`]
  const titles = new Map<string, readonly TitlePath[]>()
  return rows.flatMap(({ line, tests }) => {
    if (tests.length === 0) return [`${page}:${line} names no test`]
    return tests.flatMap(({ file, name }) => {
      const source = read(file)
      if (source === undefined) return [`${page}:${line} names ${file}, which does not exist`]
      // Most files are named many times.
      if (!titles.has(file)) titles.set(file, testTitles(file, source))
      return holds(titles.get(file) ?? [], name) ? [] : [`${page}:${line} names the test "${name}", which is not in ${file}`]
    })
  })
}

function requirements(text: string): Requirement[] {
  return text.split('\n').flatMap((content, index, lines) => {
    const isRow = content.startsWith('|') && !isRule(content) && !isRule(lines[index + 1] ?? '')
    if (!isRow) return []
    const last =
      content
        .replace(/\|\s*$/, '')
        .split(/(?<!\\)\|/)
        .at(-1) ?? ''
    const tests = [...last.matchAll(/`([^`]+\.test\.ts)` › (.+?)(?=<br>|$)/g)]
    return [{ line: index + 1, tests: tests.map(([, file = '', name = '']) => ({ file, name: name.trim().replaceAll('\\|', '|') })) }]
  })
}

function isRule(line: string): boolean {
  return /^\|[\s:|-]+\|\s*$/.test(line)
}

/** Whether a test is called so, alone or behind the names of what it stands in: `sign-in › sends the whole service`. */
function holds(tests: readonly TitlePath[], name: string): boolean {
  return tests.some(titles => titles.some((_, from) => titles.slice(from).join(' › ') === name))
}
