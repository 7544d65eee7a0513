import { nameBytes, nameEnd, typeAttribute } from './scan.ts'
import { behind, nameBegins, stride, textBegins, textEnds, type Tape } from './tape.ts'
import { decodedText, plainText } from './text.ts'
import { wordAt } from './words.ts'

const ampersand = 38
const colon = 58

/**
 * An element: a view of its place in a document. Prefixes are gone; of the attributes only the two that vCenter's answers use can be
 * asked for. What it gives are texts of their own; the view itself keeps the whole document alive, so it is nothing to store.
 */
export class XmlElement {
  readonly tape: Tape
  readonly place: number

  constructor(tape: Tape, place: number) {
    this.tape = tape
    this.place = place
  }

  get name(): string {
    const begin = this.tape.numbers[this.place + nameBegins] as number
    return wordAt(this.tape, begin, nameEnd(this.tape.bytes, begin))
  }

  /** `xsi:type` without its prefix, whatever the prefix of the attribute was. */
  get type(): string | undefined {
    return this.#attribute(true)
  }

  /** The attribute `type` without prefix: which kind of managed object a reference is to. */
  get of(): string | undefined {
    return this.#attribute(false)
  }

  /** The text of an element without children; of others the empty text. */
  get text(): string {
    return textAt(this.tape, this.place)
  }

  get children(): readonly XmlElement[] {
    const { tape, place } = this
    const { numbers } = tape
    const end = numbers[place + behind] as number
    const all: XmlElement[] = []
    for (let at = place + stride; at < end; at = numbers[at + behind] as number) all.push(new XmlElement(tape, at))
    return all
  }

  #attribute(hasPrefix: boolean): string | undefined {
    const { bytes, numbers } = this.tape
    const value = typeAttribute(bytes, nameEnd(bytes, numbers[this.place + nameBegins] as number), hasPrefix)
    if (value === undefined) return undefined
    const [begin, end] = value
    let word = begin
    for (let at = begin; at < end; at++) {
      if (bytes[at] === ampersand) return withoutPrefix(decodedText(this.tape, begin, end), hasPrefix)
      if (hasPrefix && bytes[at] === colon) word = at + 1
    }
    return wordAt(this.tape, word, end)
  }
}

/** The first child of that name. */
export function child(element: XmlElement, name: string): XmlElement | undefined {
  const place = childPlace(element, name)
  return place === undefined ? undefined : new XmlElement(element.tape, place)
}

/** All children of that name. */
export function children({ tape, place }: XmlElement, name: string): readonly XmlElement[] {
  const { numbers } = tape
  const end = numbers[place + behind] as number
  const found: XmlElement[] = []
  for (let at = place + stride; at < end; at = numbers[at + behind] as number) {
    if (isNamed(tape, at, name)) found.push(new XmlElement(tape, at))
  }
  return found
}

/** The text of the first child of that name. */
export function childText(element: XmlElement, name: string): string | undefined {
  const place = childPlace(element, name)
  return place === undefined ? undefined : textAt(element.tape, place)
}

/** As `childText`, for texts that occur again and again: the same few in every object. */
export function childWord(element: XmlElement, name: string): string | undefined {
  const place = childPlace(element, name)
  if (place === undefined) return undefined
  const { tape } = element
  const end = tape.numbers[place + textEnds] as number
  return end < 0 ? textAt(tape, place) : wordAt(tape, tape.numbers[place + textBegins] as number, end)
}

/** Whether an element has that name, without making it a text. */
export function isCalled({ tape, place }: XmlElement, name: string): boolean {
  return isNamed(tape, place, name)
}

function withoutPrefix(value: string, hasPrefix: boolean): string {
  return hasPrefix ? value.slice(value.lastIndexOf(':') + 1) : value
}

function childPlace({ tape, place }: XmlElement, name: string): number | undefined {
  const { numbers } = tape
  const end = numbers[place + behind] as number
  for (let at = place + stride; at < end; at = numbers[at + behind] as number) if (isNamed(tape, at, name)) return at
  return undefined
}

function isNamed({ bytes, numbers }: Tape, place: number, name: string): boolean {
  const begin = numbers[place + nameBegins] as number
  // Names of vCenter's schema are ASCII, so that a letter is a byte.
  for (let index = 0; index < name.length; index++) if (bytes[begin + index] !== name.charCodeAt(index)) return false
  return nameBytes[bytes[begin + name.length] as number] === 0
}

function textAt(tape: Tape, place: number): string {
  const begin = tape.numbers[place + textBegins] as number
  const end = tape.numbers[place + textEnds] as number
  return end < 0 ? decodedText(tape, begin, ~end) : plainText(tape, begin, end)
}
