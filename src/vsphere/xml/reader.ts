import { XmlNotValid } from '../errors.ts'
import type { XmlElement } from './element.ts'

/** Deeper than anything that vCenter sends. */
const deepest = 100

/** A listing of 100,000 VMs has fewer. */
const mostElements = 20_000_000

const slash = 47
const greaterThan = 62
const question = 63
const exclamation = 33
const quote = 34
const apostrophe = 39
const equals = 61
const colon = 58

interface Building {
  name: string
  /** With its prefix, as the end tag must repeat it. */
  tag: string
  type: string | undefined
  of: string | undefined
  text: string
  children: XmlElement[]
}

const none: XmlElement[] = []

/**
 * Reads a document. Strict where it matters and small: no document type, no entities but the five of XML and character references,
 * bounded depth and number of elements. A library would build more than is needed and take several times as long.
 */
export function readXml(source: string): XmlElement {
  return new Reader(source).document()
}

class Reader {
  readonly #source: string
  readonly #open: Building[] = []
  #at = 0
  #count = 0
  #root: XmlElement | undefined

  constructor(source: string) {
    this.#source = source
  }

  document(): XmlElement {
    const source = this.#source
    if (source.charCodeAt(0) === 0xfeff) this.#at = 1
    for (;;) {
      const open = source.indexOf('<', this.#at)
      this.#between(open < 0 ? source.length : open)
      if (open < 0) break
      this.#at = open + 1
      const next = source.charCodeAt(this.#at)
      if (next === slash) this.#endTag()
      else if (next === question) this.#skip('?>')
      else if (next === exclamation) this.#declaration()
      else this.#startTag()
    }
    if (this.#open.length > 0) this.#refuse(`<${this.#open.at(-1)!.tag}> is not closed`)
    if (this.#root === undefined) this.#refuse('there is no element')
    return this.#root
  }

  /** Text before the next tag. Outside the root and beside children it may only be space. */
  #between(end: number): void {
    if (end === this.#at) return
    const parent = this.#open.at(-1)
    // What stands between an element's children is formatting; only an element that closes without children has a text.
    const closes = this.#source.charCodeAt(end + 1) === slash
    if (parent !== undefined && parent.children.length === 0 && closes) {
      parent.text += this.#decoded(this.#at, end)
      return
    }
    const text = this.#source.slice(this.#at, end)
    if (text.trim() !== '') this.#refuse(parent === undefined ? 'text outside the document' : 'text beside elements')
  }

  #startTag(): void {
    if (this.#root !== undefined && this.#open.length === 0) this.#refuse('a second root element')
    if (this.#open.length >= deepest) this.#refuse(`elements nested deeper than ${deepest}`)
    if (++this.#count > mostElements) this.#refuse(`more than ${mostElements} elements`)
    const tag = this.#name()
    const element: Building = { name: local(tag), tag, type: undefined, of: undefined, text: '', children: none }
    const empty = this.#attributes(element)
    if (empty) this.#close(element)
    else this.#open.push(element)
  }

  /** Reads up to the end of a start tag; true if the element ends with it. */
  #attributes(element: Building): boolean {
    const source = this.#source
    let names: string | undefined
    for (;;) {
      const spaced = this.#space()
      const code = source.charCodeAt(this.#at)
      if (code === greaterThan) {
        this.#at++
        return false
      }
      if (code === slash && source.charCodeAt(this.#at + 1) === greaterThan) {
        this.#at += 2
        return true
      }
      if (!spaced) this.#refuse('no space before an attribute')
      const name = this.#name()
      if (names === undefined) names = ` ${name} `
      else if (names.includes(` ${name} `)) this.#refuse(`the attribute ${name} stands twice`)
      else names += `${name} `
      this.#space()
      if (source.charCodeAt(this.#at) !== equals) this.#refuse(`the attribute ${name} has no value`)
      this.#at++
      this.#space()
      const mark = source.charCodeAt(this.#at)
      if (mark !== quote && mark !== apostrophe) this.#refuse(`the value of ${name} is not quoted`)
      const end = source.indexOf(mark === quote ? '"' : "'", this.#at + 1)
      if (end < 0) this.#refuse(`the value of ${name} does not end`)
      if (name === 'type') element.of = this.#decoded(this.#at + 1, end)
      else if (name.endsWith(':type')) element.type = local(this.#decoded(this.#at + 1, end))
      this.#at = end + 1
    }
  }

  #endTag(): void {
    const element = this.#open.pop()
    if (element === undefined) this.#refuse('an end tag without a start tag')
    const { tag } = element
    const at = this.#at + 1
    if (!this.#source.startsWith(tag, at)) this.#refuse(`<${tag}> is not closed by its own end tag`)
    this.#at = at + tag.length
    this.#space()
    if (this.#source.charCodeAt(this.#at) !== greaterThan) this.#refuse(`<${tag}> is not closed by its own end tag`)
    this.#at++
    this.#close(element)
  }

  #close({ name, type, of, text, children }: Building): void {
    const element: XmlElement = { name, type, of, text, children }
    const parent = this.#open.at(-1)
    if (parent === undefined) this.#root = element
    else if (parent.text.trim() !== '') this.#refuse('text beside elements')
    else if (parent.children === none) parent.children = [element]
    else parent.children.push(element)
  }

  #declaration(): void {
    if (this.#source.startsWith('!--', this.#at)) return this.#skip('-->')
    if (this.#source.startsWith('![CDATA[', this.#at)) {
      const end = this.#source.indexOf(']]>', this.#at)
      const parent = this.#open.at(-1)
      if (end < 0 || parent === undefined) this.#refuse('a CDATA section that does not end, or outside the document')
      parent.text += this.#source.slice(this.#at + 8, end)
      this.#at = end + 3
      return
    }
    this.#refuse('a document type or other declaration')
  }

  #skip(end: string): void {
    const found = this.#source.indexOf(end, this.#at)
    if (found < 0) this.#refuse(`"${end}" is missing`)
    this.#at = found + end.length
  }

  #name(): string {
    const source = this.#source
    const begin = this.#at
    let at = begin
    while (isNameCode(source.charCodeAt(at))) at++
    if (at === begin) this.#refuse('a name is missing')
    this.#at = at
    return source.slice(begin, at)
  }

  #space(): boolean {
    const begin = this.#at
    while (this.#source.charCodeAt(this.#at) <= 32) this.#at++
    return this.#at > begin
  }

  #decoded(from: number, to: number): string {
    const text = this.#source.slice(from, to)
    if (!text.includes('&')) return text
    return text.replace(/&([^;&]{0,12})(;?)/g, (_, entity: string, end: string) => {
      const decoded = end === '' ? undefined : entityText(entity)
      return decoded ?? this.#refuse(`the entity &${entity.slice(0, 12)}; is not known`)
    })
  }

  #refuse(why: string): never {
    throw XmlNotValid({ why, at: this.#at })
  }
}

function local(name: string): string {
  const prefix = name.indexOf(':')
  return prefix < 0 ? name : name.slice(prefix + 1)
}

/** Letters, digits, `-`, `.`, `_`, `:` and everything beyond ASCII: what ends a name is what matters here. */
function isNameCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === colon ||
    code === 45 ||
    code === 46 ||
    code === 95 ||
    code > 127
  )
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function entityText(entity: string): string | undefined {
  const number = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/.exec(entity)
  if (number === null) return Object.hasOwn(entities, entity) ? entities[entity] : undefined
  const code = number[1] === undefined ? Number(number[2]) : Number.parseInt(number[1], 16)
  return isXmlCharacter(code) ? String.fromCodePoint(code) : undefined
}

function isXmlCharacter(code: number): boolean {
  return (
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 32 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff)
  )
}
