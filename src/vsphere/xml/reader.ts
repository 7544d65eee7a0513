import { isAscii } from 'node:buffer'
import { XmlNotValid } from '../errors.ts'
import { XmlElement } from './element.ts'
import { entityAt } from './entities.ts'
import { isSame, markupAt, nameBytes, nameEnd, spaceEnd } from './scan.ts'
import { behind, grown, nameBegins, scratchTape, stride, textBegins, textEnds, type Tape } from './tape.ts'

/** Deeper than anything that vCenter sends. */
const deepest = 100

/** A listing of 100,000 VMs has fewer. */
const mostElements = 20_000_000

/** No element of vCenter's has a tenth of these. Each is compared with those before it. */
const mostAttributes = 64

const exclamation = 33
const quote = 34
const ampersand = 38
const apostrophe = 39
const slash = 47
const lessThan = 60
const equals = 61
const greaterThan = 62
const question = 63

// Of the elements that are open: their places on the tape, and where their names begin and how long they are, prefix and all. One
// set of them serves all documents, because nothing else happens while one is read.
const open = new Int32Array(deepest)
const tagBegins = new Int32Array(deepest)
const tagLengths = new Int32Array(deepest)

/**
 * Reads a document, given as text or as its bytes in UTF-8. Strict where it matters and small: no document type, no entities but the
 * five of XML and character references, bounded depth and at most `most` elements. A library would build more than is needed and
 * take several times as long. Keeps the bytes, which must not change any more.
 */
export function readXml(source: string | Uint8Array, most = mostElements): XmlElement {
  const bytes = typeof source === 'string' ? Buffer.from(source) : Buffer.from(source.buffer, source.byteOffset, source.byteLength)
  return new XmlElement({ bytes, isAscii: isAscii(bytes), numbers: numbersOf(bytes, most) } satisfies Tape, 0)
}

// One function, and its state in its own variables: with a class of small methods a long listing takes twice as long.
function numbersOf(bytes: Buffer, most: number): Int32Array {
  const { length } = bytes
  let tape = scratchTape()
  let used = 0
  let depth = 0
  let parent = -1
  // Whether the text of the innermost element is other than its bytes.
  let coded = false
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  for (;;) {
    const from = at
    while (at < length) {
      const byte = bytes[at] as number
      if (byte === lessThan) break
      if (byte === ampersand) {
        at = entityEnd(bytes, at)
        coded = true
      } else at++
    }
    if (at === length) {
      if (depth === 0) mustBeBlank(bytes, from, at, depth)
      break
    }
    const isBare = depth > 0 && used === parent + stride
    const first = bytes[at + 1]

    if (first === slash) {
      if (depth === 0) refuse('an end tag without a start tag', at)
      if (isBare) tape[parent + textEnds] = coded ? ~at : at
      else if (from < at) mustBeBlank(bytes, from, at, depth)
      depth--
      const begin = tagBegins[depth] as number
      const size = tagLengths[depth] as number
      let close = at + 2 + size
      if (bytes[close] !== greaterThan) close = spaceEnd(bytes, close)
      if (bytes[close] !== greaterThan || !isSame(bytes, at + 2, begin, size)) {
        refuse(`<${bytes.toString('utf8', begin, begin + size)}> is not closed by its own end tag`, at)
      }
      at = close + 1
      tape[parent + behind] = used
      parent = depth === 0 ? -1 : (open[depth - 1] as number)
      coded = false
      continue
    }
    if (first === exclamation || first === question) {
      // In an element without children it may be part of a text. Whether it is shows at the next tag.
      if (!isBare) mustBeBlank(bytes, from, at, depth)
      const end = markupEnd(bytes, at, depth)
      if (!isBare) mustBeBlank(bytes, at, end, depth)
      coded = true
      at = end
      continue
    }

    if (depth === 0 && used > 0) refuse('a second root element', at)
    const gap = isBare ? (tape[parent + textBegins] as number) : from
    if (gap < at) mustBeBlank(bytes, gap, at, depth)
    if (depth >= deepest) refuse(`elements nested deeper than ${deepest}`, at)
    if (used >= most * stride) refuse(`more than ${most} elements`, at)
    if (used + stride > tape.length) tape = grown(tape)
    const begin = ++at
    let local = begin
    for (; at < length; at++) {
      const sort = nameBytes[bytes[at] as number]
      if (sort === 0) break
      if (sort === 2) local = at + 1
    }
    if (at === begin) refuse('a name is missing', at)
    const size = at - begin
    if (bytes[at] !== greaterThan) at = attributesEnd(bytes, at)
    const place = used
    used += stride
    coded = false
    tape[place + nameBegins] = local
    tape[place + textBegins] = at + 1
    tape[place + textEnds] = at + 1
    if (bytes[at] === slash) {
      if (bytes[at + 1] !== greaterThan) refuse('a tag that does not end', at)
      tape[place + behind] = used
      at += 2
      continue
    }
    at++
    open[depth] = place
    tagBegins[depth] = begin
    tagLengths[depth] = size
    depth++
    parent = place
  }
  if (depth > 0) refuse(`${depth} elements are not closed`, at)
  if (used === 0) refuse('there is no element', at)
  return tape.slice(0, used)
}

// Where the attributes of an element have begun, and how long their names are.
const attributeBegins = new Int32Array(mostAttributes)
const attributeLengths = new Int32Array(mostAttributes)

/** Reads the attributes of an element and tells where its start tag ends: at `>` or `/`. */
function attributesEnd(bytes: Buffer, begin: number): number {
  let count = 0
  for (let at = begin; ;) {
    const from = spaceEnd(bytes, at)
    if (bytes[from] === greaterThan || bytes[from] === slash) return from
    if (from === at) refuse('no space before an attribute', at)
    const end = nameEnd(bytes, from)
    if (end === from) refuse('a name is missing', from)
    if (count === mostAttributes) refuse(`more than ${mostAttributes} attributes`, from)
    const length = end - from
    for (let earlier = 0; earlier < count; earlier++) {
      // Of two nobody knows which is meant.
      if (attributeLengths[earlier] === length && isSame(bytes, attributeBegins[earlier] as number, from, length)) {
        refuse(`the attribute ${bytes.toString('utf8', from, end)} stands twice`, from)
      }
    }
    attributeBegins[count] = from
    attributeLengths[count] = length
    count++
    at = valueEnd(bytes, from, end)
  }
}

/** Reads the value of an attribute whose name was just read, and tells where it is over. */
function valueEnd(bytes: Buffer, nameBegin: number, nameEnds: number): number {
  const sign = spaceEnd(bytes, nameEnds)
  if (bytes[sign] !== equals) refuse(`the attribute ${bytes.toString('utf8', nameBegin, nameEnds)} has no value`, sign)
  let at = spaceEnd(bytes, sign + 1)
  const mark = bytes[at]
  if (mark !== quote && mark !== apostrophe) refuse(`the value of ${bytes.toString('utf8', nameBegin, nameEnds)} is not quoted`, at)
  at++
  while (at < bytes.length) {
    const byte = bytes[at] as number
    if (byte === mark) return at + 1
    if (byte === lessThan) break
    at = byte === ampersand ? entityEnd(bytes, at) : at + 1
  }
  return refuse(`the value of ${bytes.toString('utf8', nameBegin, nameEnds)} does not end`, at)
}

/** Where a comment, an instruction or a section of plain characters ends. */
function markupEnd(bytes: Buffer, begin: number, depth: number): number {
  const markup = markupAt(bytes, begin)
  if (markup === undefined || (markup.isText && depth === 0)) refuse('a document type or other declaration', begin)
  if (markup.insideEnd < 0) refuse('a comment, an instruction or a section of plain characters that does not end', begin)
  return markup.end
}

/** What stands between an element's children is formatting. Only an element without children has a text. */
function mustBeBlank(bytes: Buffer, begin: number, end: number, depth: number): void {
  for (let at = spaceEnd(bytes, begin); at < end; at = spaceEnd(bytes, at)) {
    const markup = bytes[at] === lessThan ? markupAt(bytes, at) : undefined
    if (markup === undefined || (markup.isText && spaceEnd(bytes, markup.inside) < markup.insideEnd)) {
      refuse(depth === 0 ? 'text outside the document' : 'text beside elements', at)
    }
    at = markup.end
  }
}

/** Where an entity ends, which must be one that is known. */
function entityEnd(bytes: Buffer, begin: number): number {
  const entity = entityAt(bytes, begin)
  if (entity < 0) refuse('an entity that is not known', begin)
  return begin + (entity & 15)
}

function refuse(why: string, at: number): never {
  throw XmlNotValid({ why, at })
}
