import { Visitor, type CallExpression, type Expression, type ObjectProperty, type Super } from 'oxc-parser'
import { parse } from './repository.ts'

/** A title behind those of the `describe`s around it. */
export type TitlePath = readonly string[]

/**
 * The title of every test in a file. A `describe` alone is none: it would still be there when its last test is gone. Titles that are
 * computed are left out, for nobody can look them up; but where a table's title is one of its columns, as `$what`, each row has its own.
 */
export function testTitles(path: string, text: string): readonly TitlePath[] {
  const found: TitlePath[] = []
  const cells: { readonly column: string; readonly titles: TitlePath }[] = []
  const around: string[] = []
  new Visitor({
    CallExpression(call) {
      const title = titleOf(call, text)
      if (title === undefined) return
      if (kindOf(call.callee) === 'test') found.push([...around, title])
      if (kindOf(call.callee) === 'describe') around.push(title)
    },
    'CallExpression:exit'(call) {
      if (kindOf(call.callee) === 'describe' && titleOf(call, text) !== undefined) around.pop()
    },
    Property(property) {
      const { key, value } = property as ObjectProperty
      if (key.type === 'Identifier' && value.type === 'Literal')
        cells.push({ column: `$${key.name}`, titles: [...around, String(value.value)] })
    },
  }).visit(parse(path, text).program)
  const rows = found.flatMap(titles => cells.filter(cell => isBeside(cell.titles, titles) && cell.column === titles.at(-1)))
  return [...found, ...rows.map(({ titles }) => titles)]
}

/** Whether two stand in the same `describe`. */
function isBeside(one: TitlePath, other: TitlePath): boolean {
  return one.length === other.length && one.slice(0, -1).every((title, index) => title === other[index])
}

/** What a call begins with: `test` of `test(…)`, and of `test.each(…)(…)` too. */
function kindOf(callee: Expression | Super): string | undefined {
  if (callee.type === 'CallExpression') return kindOf(callee.callee)
  if (callee.type === 'MemberExpression') return kindOf(callee.object)
  return callee.type === 'Identifier' ? callee.name : undefined
}

/** What is written as the first argument; of a template, its text with the holes as they stand there. */
function titleOf({ arguments: [first] }: CallExpression, text: string): string | undefined {
  if (first?.type === 'Literal' && typeof first.value === 'string') return first.value
  return first?.type === 'TemplateLiteral' ? text.slice(first.start + 1, first.end - 1) : undefined
}
