import { XmlNotValid } from '../errors.ts'
import type { XmlElement } from './element.ts'
import { entityText } from './entities.ts'
import { mix, wordAt } from './words.ts'

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
const ampersand = 38

/** A document as numbers: its bytes where all of it is ASCII, else UTF-16. A place in it is the same place in the text. */
type Codes = Uint8Array | Uint16Array

/** An element while it is read. */
interface Building extends XmlElement {
  type: string | undefined
  of: string | undefined
  text: string
  children: XmlElement[]
}

const none: XmlElement[] = []

/**
 * Reads a document. Strict where it matters and small: no document type, no entities but the five of XML and character references,
 * bounded depth and number of elements. A library would build more than is needed and take several times as long. `bytes`, if there
 * are any, are the document as it came, in UTF-8.
 */
export function readXml(source: string, bytes?: Uint8Array): XmlElement {
  // As long as the text: every character is one byte.
  return read(source, bytes !== undefined && bytes.length === source.length ? bytes : codesOf(source))
}

// One function, and its state in its own variables: with a class of small methods a long listing takes twice as long.
function read(source: string, codes: Codes): XmlElement {
  const open: Building[] = []
  // Where the names of the open elements begin, and how long they are: the end tags must repeat them, prefix and all.
  const tagBegins: number[] = []
  const tagLengths: number[] = []
  let root: XmlElement | undefined
  let parent: Building | undefined
  let count = 0
  let at = codes[0] === 0xfeff ? 1 : 0
  for (;;) {
    const next = source.indexOf('<', at)
    const end = next < 0 ? source.length : next
    if (end > at) {
      // What stands between an element's children is formatting; only an element that closes without children has a text.
      if (parent !== undefined && parent.children === none && codes[end + 1] === slash) {
        // A property's name stands in an element of that name, the same few in every object.
        const text = parent.name === 'name' ? decodedWord(source, codes, at, end) : decoded(source, at, end)
        parent.text = parent.text === '' ? text : parent.text + text
      } else if (source.slice(at, end).trim() !== '') {
        refuse(parent === undefined ? 'text outside the document' : 'text beside elements', at)
      }
    }
    if (next < 0) break
    at = next + 1
    const first = codes[at]

    if (first === slash) {
      const depth = open.length - 1
      if (depth < 0) refuse('an end tag without a start tag', at)
      const begin = tagBegins[depth] as number
      const length = tagLengths[depth] as number
      let close = at + 1 + length
      if (codes[close] !== greaterThan) close = spaceEnd(codes, close)
      if (codes[close] !== greaterThan || !isSame(codes, at + 1, begin, length)) {
        refuse(`<${source.slice(begin, begin + length)}> is not closed by its own end tag`, at)
      }
      at = close + 1
      open.pop()
      parent = open[depth - 1]
      continue
    }
    if (first === question) {
      at = after(source, '?>', at)
      continue
    }
    if (first === exclamation) {
      if (source.startsWith('!--', at)) at = after(source, '-->', at)
      else if (parent !== undefined && source.startsWith('![CDATA[', at)) {
        const close = after(source, ']]>', at)
        parent.text += source.slice(at + 8, close - 3)
        at = close
      } else refuse('a document type or other declaration', at)
      continue
    }

    if (root !== undefined && parent === undefined) refuse('a second root element', at)
    if (open.length >= deepest) refuse(`elements nested deeper than ${deepest}`, at)
    if (++count > mostElements) refuse(`more than ${mostElements} elements`, at)
    if (parent !== undefined && parent.text !== '' && parent.text.trim() !== '') refuse('text beside elements', at)
    const begin = at
    at = nameEnd(codes, at)
    const length = at - begin
    const element: Building = { name: localWord(source, codes, begin, at), type: undefined, of: undefined, text: '', children: none }
    if (codes[at] !== greaterThan) at = readAttributes(source, codes, at, element)
    if (parent === undefined) root = element
    else parent.children = withOneMore(parent.children, element)
    if (codes[at] === slash) {
      if (codes[at + 1] !== greaterThan) refuse('a tag that does not end', at)
      at += 2
      continue
    }
    at++
    tagBegins[open.length] = begin
    tagLengths[open.length] = length
    open.push(element)
    parent = element
  }
  if (parent !== undefined) refuse(`<${parent.name}> is not closed`, at)
  if (root === undefined) refuse('there is no element', at)
  return root
}

/** Reads the attributes of an element and tells where its start tag ends: at `>` or `/`. */
function readAttributes(source: string, codes: Codes, begin: number, element: Building): number {
  let firstBegin = -1
  let firstLength = 0
  let count = 0
  for (let at = begin; ;) {
    const from = spaceEnd(codes, at)
    if (codes[from] === greaterThan || codes[from] === slash) return from
    if (from === at) refuse('no space before an attribute', at)
    const end = nameEnd(codes, from)
    const opening = valueBegin(source, codes, from, end)
    const closing = source.indexOf(codes[opening - 1] === quote ? '"' : "'", opening)
    if (closing < 0) refuse(`the value of ${source.slice(from, end)} does not end`, opening)
    if (firstBegin < 0) {
      firstBegin = from
      firstLength = end - from
    } else if (
      (firstLength === end - from && isSame(codes, firstBegin, from, firstLength)) ||
      (count > 1 && isTwice(source, codes, begin, from, end))
    ) {
      refuse(`the attribute ${source.slice(from, end)} stands twice`, from)
    }
    count++
    if (endsWithType(codes, end)) {
      if (end - from === 4) element.of = decodedWord(source, codes, opening, closing)
      else if (codes[end - 5] === colon) element.type = localWord(source, codes, opening, closing)
    }
    at = closing + 1
  }
}

function codesOf(source: string): Uint16Array {
  const codes = new Uint16Array(source.length)
  Buffer.from(codes.buffer).write(source, 'utf16le')
  return codes
}

/** Where the value of an attribute begins whose name was just read: behind `=` and a quotation mark. */
function valueBegin(source: string, codes: Codes, from: number, nameEnds: number): number {
  const sign = spaceEnd(codes, nameEnds)
  if (codes[sign] !== equals) refuse(`the attribute ${source.slice(from, nameEnds)} has no value`, sign)
  const mark = spaceEnd(codes, sign + 1)
  if (codes[mark] !== quote && codes[mark] !== apostrophe) refuse(`the value of ${source.slice(from, nameEnds)} is not quoted`, mark)
  return mark + 1
}

/** Whether an attribute of that name stands before this one already. Of two, nobody knows which is meant. */
function isTwice(source: string, codes: Codes, attributes: number, from: number, to: number): boolean {
  for (let at = spaceEnd(codes, attributes); at < from;) {
    const end = nameEnd(codes, at)
    if (end - at === to - from && isSame(codes, at, from, to - from)) return true
    const opening = valueBegin(source, codes, at, end)
    at = spaceEnd(codes, source.indexOf(codes[opening - 1] === quote ? '"' : "'", opening) + 1)
  }
  return false
}

function endsWithType(codes: Codes, end: number): boolean {
  return codes[end - 1] === 101 && codes[end - 2] === 112 && codes[end - 3] === 121 && codes[end - 4] === 116
}

function isSame(codes: Codes, one: number, other: number, length: number): boolean {
  for (let index = 0; index < length; index++) if (codes[one + index] !== codes[other + index]) return false
  return true
}

/** A list with one more. Most lists stay short, and one that grows by itself takes room for many. */
function withOneMore(list: XmlElement[], element: XmlElement): XmlElement[] {
  if (list.length === 0) return [element]
  if (list.length === 1) return [list[0] as XmlElement, element]
  list.push(element)
  return list
}

function after(source: string, what: string, at: number): number {
  const found = source.indexOf(what, at)
  return found < 0 ? refuse(`"${what}" is missing`, at) : found + what.length
}

const nameCodes = Uint8Array.from({ length: 128 }, (_, each) => (/[\w:.-]/.test(String.fromCharCode(each)) ? 1 : 0))

/** Letters, digits, `-`, `.`, `_`, `:` and everything beyond ASCII: what ends a name is what matters here. */
function nameEnd(codes: Codes, begin: number): number {
  let at = begin
  while (at < codes.length && ((codes[at] as number) > 127 || nameCodes[codes[at] as number] === 1)) at++
  return at === begin ? refuse('a name is missing', at) : at
}

function spaceEnd(codes: Codes, begin: number): number {
  let at = begin
  while (at < codes.length && (codes[at] as number) <= 32) at++
  return at
}

/** A word without what stands before its colon. */
function localWord(source: string, codes: Codes, from: number, to: number): string {
  let begin = from
  let mixed = 0
  for (let at = from; at < to; at++) {
    const code = codes[at] as number
    if (code === ampersand) return localOf(decoded(source, from, to))
    if (code === colon) {
      begin = at + 1
      mixed = 0
    } else mixed = mix(mixed, code)
  }
  return wordAt(source, begin, to, mixed)
}

function localOf(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1)
}

function decodedWord(source: string, codes: Codes, from: number, to: number): string {
  let mixed = 0
  for (let at = from; at < to; at++) {
    const code = codes[at] as number
    if (code === ampersand) return decoded(source, from, to)
    mixed = mix(mixed, code)
  }
  return wordAt(source, from, to, mixed)
}

function decoded(source: string, from: number, to: number): string {
  const text = source.slice(from, to)
  if (!text.includes('&')) return text
  return text.replace(/&([^;&]{0,12})(;?)/g, (_, entity: string, end: string) => {
    const meant = end === '' ? undefined : entityText(entity)
    return meant ?? refuse(`the entity &${entity.slice(0, 12)}; is not known`, from)
  })
}

function refuse(why: string, at: number): never {
  throw XmlNotValid({ why, at })
}
