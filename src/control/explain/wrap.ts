/**
 * Breaks a line at spaces so that it fits. What follows stands a little further in than the line began, or under its text if the
 * line begins with a word and a gap. A word that is longer than a line is broken.
 */
export function wrap(line: string, width: number): readonly string[] {
  if (line.length <= width) return [line]
  const indent = hangingIndent(line, width)
  const lines: string[] = []
  let rest = line
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width)
    const isInText = space > indent
    const end = isInText ? space : width
    lines.push(rest.slice(0, end).trimEnd())
    rest = ' '.repeat(indent) + rest.slice(isInText ? end + 1 : end)
  }
  return [...lines, rest]
}

function hangingIndent(line: string, width: number): number {
  const [, space = '', label = ''] = /^( *)([a-z]+ {2,})?/.exec(line) ?? []
  const indent = space.length + (label === '' ? 2 : label.length)
  return indent <= width / 2 ? indent : 0
}
