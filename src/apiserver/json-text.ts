import type { Json } from '../kinds/index.ts'
import { tooManyValues } from './errors.ts'

/**
 * Reads JSON only for what `JSON.parse` keeps to itself: keys that occur twice in one object, and where and why a text is not
 * JSON, in the words of Go's reader, which is what people who work with Kubernetes search for. Throws
 * RequestEntityTooLarge if the text has more values than are read, before anything is built out of it.
 */
export function inspectJson(text: string, limit = maxValues): { readonly duplicates: readonly string[]; readonly error?: string } {
  const reader = new JsonReader(text, limit)
  try {
    reader.document()
  } catch (error) {
    if (error instanceof JsonTextError) return { duplicates: [], error: error.message }
    throw error
  }
  return { duplicates: [...reader.duplicates] }
}

class JsonTextError extends Error {}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
/** Deeper than any real object, and shallow enough for every function that later walks it. */
export const maxDepth = 500
/**
 * So many fields and list items one body, or an object after a patch, may have. Each costs microseconds in checks, defaults, copies
 * and comparisons, during which no other request is answered. The largest real objects have some thousand.
 */
export const maxValues = 20_000

/** The number of fields and list items in a value; any number beyond the limit if there are more, without looking further. */
export function countValues(value: Json | undefined): number {
  let count = 0
  const waiting: unknown[] = [value]
  while (waiting.length > 0 && count <= maxValues) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    const inner = Object.values(next)
    count += inner.length
    for (const one of inner) if (typeof one === 'object') waiting.push(one)
  }
  return count
}

/** Throws RequestEntityTooLarge if a value has more fields and list items than are accepted. */
export function refuseManyValues(value: Json | undefined): void {
  if (countValues(value) > maxValues) throw tooManyValues(maxValues)
}

/** So many duplicates are told, as Kubernetes does, and no more text than this: the path to each may be as long as the body. */
const maxDuplicates = 100
const maxDuplicatesLength = 100_000

class JsonReader {
  readonly duplicates = new Set<string>()
  readonly #text: string
  readonly #limit: number
  readonly #path: string[] = []
  #at = 0
  #depth = 0
  #values = 0
  #duplicatesLength = 0

  constructor(text: string, limit: number) {
    this.#text = text
    this.#limit = limit
  }

  document(): void {
    this.#value()
    this.#space()
    if (this.#at < this.#text.length) throw this.#unexpected('after top-level value')
  }

  #value(): void {
    // The document itself is not a field or an item.
    if (this.#values++ > this.#limit) throw tooManyValues(this.#limit)
    this.#space()
    const code = this.#text.charCodeAt(this.#at)
    if (code === openBrace) this.#nested(() => this.#object())
    else if (code === openBracket) this.#nested(() => this.#array())
    else if (code === quote) this.#string()
    else if (code === 0x2d || isDigit(code)) this.#number()
    else if (code === 0x74) this.#literal('true')
    else if (code === 0x66) this.#literal('false')
    else if (code === 0x6e) this.#literal('null')
    else throw this.#unexpected('looking for beginning of value')
  }

  #nested(read: () => void): void {
    if (++this.#depth > maxDepth) throw new JsonTextError('exceeded max depth')
    this.#at++
    read()
    this.#depth--
  }

  #object(): void {
    const keys = new KeysSeen()
    this.#space()
    if (this.#take(closeBrace)) return
    for (;;) {
      this.#space()
      if (this.#text.charCodeAt(this.#at) !== quote) throw this.#unexpected('looking for beginning of object key string')
      const start = this.#at
      const key = this.#string() ? (JSON.parse(this.#text.slice(start, this.#at)) as string) : this.#text.slice(start + 1, this.#at - 1)
      this.#path.push(this.#path.length === 0 ? key : `.${key}`)
      if (!keys.add(key)) this.#tellDuplicate()
      this.#space()
      if (!this.#take(colon)) throw this.#unexpected('after object key')
      this.#value()
      this.#path.pop()
      this.#space()
      if (this.#take(closeBrace)) return
      if (!this.#take(comma)) throw this.#unexpected('after object key:value pair')
    }
  }

  #tellDuplicate(): void {
    if (this.duplicates.size >= maxDuplicates || this.#duplicatesLength >= maxDuplicatesLength) return
    const path = this.#path.join('')
    this.#duplicatesLength += path.length
    this.duplicates.add(path)
  }

  #array(): void {
    this.#space()
    if (this.#take(closeBracket)) return
    for (let index = 0; ; index++) {
      this.#path.push(`[${index}]`)
      this.#value()
      this.#path.pop()
      this.#space()
      if (this.#take(closeBracket)) return
      if (!this.#take(comma)) throw this.#unexpected('after array element')
    }
  }

  /** Passes a string; true if it has escapes. */
  #string(): boolean {
    let escaped = false
    for (this.#at++; ; this.#at++) {
      const code = this.#text.charCodeAt(this.#at)
      if (code === quote) break
      if (Number.isNaN(code) || code < 0x20) throw this.#unexpected('in string literal')
      if (code === backslash) {
        escaped = true
        this.#escape()
      }
    }
    this.#at++
    return escaped
  }

  #escape(): void {
    const code = this.#text[++this.#at]
    if (code === undefined || !'"\\/bfnrtu'.includes(code)) throw this.#unexpected('in string escape code')
    if (code !== 'u') return
    for (let digits = 0; digits < 4; digits++) {
      this.#at++
      if (!/^[0-9a-fA-F]$/.test(this.#text.charAt(this.#at))) throw this.#unexpected('in \\u hexadecimal character escape')
    }
  }

  #number(): void {
    if (this.#text[this.#at] === '-') this.#at++
    if (this.#text[this.#at] === '0') this.#at++
    else this.#digits('in numeric literal')
    if (this.#text[this.#at] === '.') {
      this.#at++
      this.#digits('after decimal point in numeric literal')
    }
    if (/^[eE]$/.test(this.#text.charAt(this.#at))) {
      this.#at++
      if (/^[+-]$/.test(this.#text.charAt(this.#at))) this.#at++
      this.#digits('in exponent of numeric literal')
    }
  }

  #digits(where: string): void {
    if (!isDigit(this.#text.charCodeAt(this.#at))) throw this.#unexpected(where)
    while (isDigit(this.#text.charCodeAt(this.#at))) this.#at++
  }

  #literal(word: string): void {
    for (const letter of word) {
      if (this.#text[this.#at] !== letter) throw this.#unexpected(`in literal ${word} (expecting '${letter}')`)
      this.#at++
    }
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.#at++
    }
  }

  #take(code: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== code) return false
    this.#at++
    return true
  }

  #unexpected(where: string): JsonTextError {
    const point = this.#text.codePointAt(this.#at)
    if (point === undefined) return new JsonTextError('unexpected end of JSON input')
    return new JsonTextError(`invalid character ${quoted(String.fromCodePoint(point))} ${where}`)
  }
}

/** Up to here, looking through a list finds a key sooner than a set does. Most objects have no more keys. */
const fewKeys = 16

/** The keys of one object so far. */
class KeysSeen {
  readonly #few: string[] = []
  #all: Set<string> | undefined

  /** False if the key was there before. */
  add(key: string): boolean {
    if (this.#all === undefined) {
      if (this.#few.includes(key)) return false
      if (this.#few.push(key) > fewKeys) this.#all = new Set(this.#few)
      return true
    }
    const before = this.#all.size
    return this.#all.add(key).size > before
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function quoted(character: string): string {
  if (character === "'") return String.raw`'\''`
  return character === '"' ? `'"'` : `'${JSON.stringify(character).slice(1, -1)}'`
}
