/** A place in a file, both counted from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** The way to a value: keys of tables and indexes of arrays. */
export type ValuePath = readonly (string | number)[]

/**
 * Where the keys of a TOML text stand, which its parser does not tell. The text must be valid TOML. A path that is not in the
 * text (a key that is missing) answers with its nearest parent that is. A key that is only written in another case is found too.
 */
export function tomlPositions(text: string): (path: ValuePath) => Position | undefined {
  const offsets = new Scanner(text).scan()
  const inAnyCase = new Map(Array.from(offsets, ([key, offset]) => [key.toLowerCase(), offset]))
  return path => {
    for (let length = path.length; length > 0; length--) {
      const key = pathKey(path.slice(0, length))
      const offset = offsets.get(key) ?? inAnyCase.get(key.toLowerCase())
      if (offset !== undefined) return positionAt(text, offset)
    }
    return undefined
  }
}

function pathKey(path: ValuePath): string {
  return JSON.stringify(path)
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}

const bareKey = /[A-Za-z0-9_-]+/y
const endOfBareValue = /[^\s,\]}#]+(?: [^\s,\]}#]+)?/y

/** Walks the text once. What is not a key, a bracket or a quote is passed over: the parser has judged it already. */
class Scanner {
  readonly #text: string
  readonly #offsets = new Map<string, number>()
  /** For each array of tables, how many `[[…]]` there were so far. */
  readonly #tables = new Map<string, number>()
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  scan(): ReadonlyMap<string, number> {
    let table: ValuePath = []
    for (this.#skipBlank(); this.#at < this.#text.length; this.#skipBlank()) {
      if (this.#take('[[')) table = this.#arrayHeader()
      else if (this.#take('[')) table = this.#header()
      else this.#pair(table, true)
    }
    return this.#offsets
  }

  #header(): ValuePath {
    const start = this.#at
    const path = this.#inLatestTables(this.#keys(), start)
    this.#take(']')
    return path
  }

  #arrayHeader(): ValuePath {
    const start = this.#at
    const keys = this.#keys()
    const list = [...this.#inLatestTables(keys.slice(0, -1), start), ...keys.slice(-1)]
    const count = this.#tables.get(pathKey(list)) ?? 0
    this.#tables.set(pathKey(list), count + 1)
    this.#note(list, start)
    this.#note([...list, count], start)
    this.#take(']]')
    return [...list, count]
  }

  /** `[a.b]` below `[[a]]` means the table b in the last a. Tables that only a longer header names stand where it does. */
  #inLatestTables(keys: readonly string[], offset: number): ValuePath {
    let path: ValuePath = []
    for (const key of keys) {
      path = [...path, key]
      this.#note(path, offset)
      const count = this.#tables.get(pathKey(path))
      if (count !== undefined) path = [...path, count - 1]
    }
    return path
  }

  #pair(table: ValuePath, wholeLine: boolean): void {
    const start = this.#at
    let path = table
    for (const key of this.#keys()) {
      path = [...path, key]
      this.#note(path, start)
    }
    this.#skipBlank()
    // Something that is no pair cannot be in valid TOML; passing over the line keeps the scan from standing still.
    if (!this.#take('=')) return this.#skipLine()
    this.#skipBlank()
    this.#value(path)
    if (wholeLine) this.#skipLine()
  }

  #keys(): readonly string[] {
    const keys: string[] = []
    do {
      this.#skipBlank()
      keys.push(this.#key())
      this.#skipBlank()
    } while (this.#take('.'))
    return keys
  }

  #key(): string {
    const start = this.#at
    const quote = this.#text[start]
    if (quote === '"' || quote === "'") {
      this.#string()
      const inner = this.#text.slice(start + 1, this.#at - 1)
      return quote === '"' ? unescapeBasic(inner) : inner
    }
    bareKey.lastIndex = start
    this.#at += bareKey.exec(this.#text)?.[0].length ?? 0
    return this.#text.slice(start, this.#at)
  }

  #value(path: ValuePath): void {
    const first = this.#text[this.#at]
    if (first === '"' || first === "'") this.#string()
    else if (this.#take('[')) this.#array(path)
    else if (this.#take('{')) this.#inlineTable(path)
    else {
      endOfBareValue.lastIndex = this.#at
      this.#at += endOfBareValue.exec(this.#text)?.[0].length ?? 1
    }
  }

  #array(path: ValuePath): void {
    for (let index = 0; ; index++) {
      this.#skipBlank()
      if (this.#at >= this.#text.length || this.#take(']')) return
      this.#note([...path, index], this.#at)
      this.#value([...path, index])
      this.#skipBlank()
      this.#take(',')
    }
  }

  #inlineTable(path: ValuePath): void {
    for (;;) {
      this.#skipBlank()
      if (this.#at >= this.#text.length || this.#take('}')) return
      this.#pair(path, false)
      this.#skipBlank()
      this.#take(',')
    }
  }

  #string(): void {
    const quote = this.#text[this.#at] as string
    const fence = this.#text.startsWith(quote.repeat(3), this.#at) ? quote.repeat(3) : quote
    this.#at += fence.length
    while (this.#at < this.#text.length && !this.#text.startsWith(fence, this.#at)) {
      this.#at += quote === '"' && this.#text[this.#at] === '\\' ? 2 : 1
    }
    this.#at += fence.length
    // Up to two quotes may stand right before the closing three.
    if (fence.length === 3) while (this.#text[this.#at] === quote) this.#at++
  }

  #skipBlank(): void {
    for (;;) {
      const char = this.#text[this.#at]
      if (char === '#') this.#skipLine()
      else if (char === ' ' || char === '\t' || char === '\n' || char === '\r') this.#at++
      else return
    }
  }

  #skipLine(): void {
    const end = this.#text.indexOf('\n', this.#at)
    this.#at = end === -1 ? this.#text.length : end + 1
  }

  #take(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false
    this.#at += word.length
    return true
  }

  #note(path: ValuePath, offset: number): void {
    const key = pathKey(path)
    if (!this.#offsets.has(key)) this.#offsets.set(key, offset)
  }
}

function unescapeBasic(text: string): string {
  return text.replace(/\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\(.)/g, (_, short?: string, long?: string, char?: string) => {
    const digits = short ?? long
    if (digits !== undefined) return String.fromCodePoint(Number.parseInt(digits, 16))
    return ({ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', e: '\u001b' } as Record<string, string>)[char ?? ''] ?? char ?? ''
  })
}
