/** A line of the JSON log for the eyes of a person at a terminal: time of day, level, message, then the fields as name=value. */
export function textLine(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
  const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${word(value)}`)
  return `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${String(msg)}${rest.join('')}\n`
}

/** A value that can be told from what follows it. */
function word(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
}
