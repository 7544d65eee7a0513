import { posix } from 'node:path'
import { parse } from './repository.ts'

/** Reads a file of the repository, or of a test's own making. */
export type Read = (path: string) => string

/**
 * What is wrong with a module's `index.ts`: it is an explicit list of exports, and each of them has a comment that says what it is,
 * where it is declared. Errors made by `failure()` say so themselves, and docs/errors.md lists them.
 */
export function faceProblems(path: string, read: Read): string[] {
  const { module } = parse(path, read(path))
  return module.staticExports.flatMap(statement =>
    statement.entries.flatMap(entry => {
      const name = entry.exportName.name
      if (name === null || name === undefined) return [`${path} exports everything of ${entry.moduleRequest?.value}: list the names`]
      return isDocumented(path, name, read) ? [] : [`${path} exports ${name}, which has no comment`]
    }),
  )
}

function isDocumented(path: string, name: string, read: Read): boolean {
  const text = read(path)
  const { module, comments } = parse(path, text)
  const found = module.staticExports.flatMap(statement =>
    statement.entries.filter(entry => entry.exportName.name === name).map(entry => ({ statement, entry })),
  )
  // A value and a type may share a name; a comment on one of them is enough.
  return found.some(({ statement, entry }) => {
    if (entry.moduleRequest !== null && entry.moduleRequest !== undefined) {
      const next = posix.join(posix.dirname(path), entry.moduleRequest.value)
      const original = entry.importName.name
      return original !== null && original !== undefined && isDocumented(next, original, read)
    }
    const local = entry.localName.name ?? name
    const declaration = declarationOf(text, local) ?? statement.start
    const isFailure = new RegExp(`^export const ${local} = failure\\(`).test(text.slice(declaration))
    return isFailure || comments.some(comment => comment.value.startsWith('*') && text.slice(comment.end, declaration).trim() === '')
  })
}

/** Where the statement that declares a name begins. */
function declarationOf(text: string, name: string): number | undefined {
  const pattern = new RegExp(
    `^(?:export )?(?:declare )?(?:abstract )?(?:async )?(?:const|let|function\\*?|class|interface|type) ${name}\\b`,
    'm',
  )
  return pattern.exec(text)?.index
}
