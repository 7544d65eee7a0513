import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { XmlNotValid } from '../errors.ts'
import { child, childText } from './element.ts'
import { readXml } from './reader.ts'
import { envelope, reference, typed } from './writer.ts'

describe('reading XML', () => {
  test('elements, their texts, and the two attributes that matter, whatever the prefixes', () => {
    const root = readXml(
      `<?xml version="1.0"?><!-- hello --><s:Envelope xmlns:s="x"><s:Body>
        <val xmlns:XMLSchema-instance="i" XMLSchema-instance:type="xsd:string" other='1'>a &amp; b&#34;&#xe9;</val>
        <obj xsi:type="ManagedObjectReference" type="VirtualMachine">vm-1</obj><empty/><none></none>
      </s:Body></s:Envelope>`,
    )
    const body = child(root, 'Body')!
    expect(root.name).toBe('Envelope')
    expect(child(body, 'val')).toMatchObject({ type: 'string', text: 'a & b"é' })
    expect(child(body, 'obj')).toMatchObject({ type: 'ManagedObjectReference', of: 'VirtualMachine', text: 'vm-1' })
    expect([childText(body, 'empty'), childText(body, 'none'), childText(body, 'missing')]).toEqual(['', '', undefined])
  })

  test('a section of plain characters is text', () => {
    expect(readXml('<a><![CDATA[<&>]]> and</a>').text).toBe('<&> and')
  })

  test.each([
    ['nothing', ''],
    ['only text', 'hello'],
    ['a document type', '<!DOCTYPE a><a/>'],
    ['a document type with an external entity', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'],
    ['an entity that nobody declared', '<a>&x;</a>'],
    ['an ampersand that begins nothing', '<a>a & b</a>'],
    ['a character that XML cannot carry', '<a>&#0;</a>'],
    ['a character beyond Unicode', '<a>&#x110000;</a>'],
    ['an element that is not closed', '<a><b></b>'],
    ['crossed elements', '<a><b></a></b>'],
    ['an end tag that only begins like its start tag', '<a></ab>'],
    ['two roots', '<a/><b/>'],
    ['text beside elements', '<a>text<b/></a>'],
    ['text after the end', '<a/>text'],
    ['an attribute twice', '<a type="x" type="y"/>'],
    ['an attribute without quotes', '<a type=x/>'],
    ['an attribute that does not end', '<a type="x'],
    ['a tag that does not end', '<a'],
    ['a comment that does not end', '<a><!-- </a>'],
    ['a name that is missing', '<a>< b/></a>'],
  ])('%s is refused', (_, text) => {
    expect(() => readXml(text)).toThrow(expect.objectContaining({ code: XmlNotValid.code }))
  })

  test('the bytes of a document change nothing about what it says, whatever characters and however many names it has', () => {
    const name = fc.stringMatching(/^[a-zé][a-z.é-]{0,120}$/)
    const value = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '&amp;', ' ', '&#34;', 'x'.repeat(20)) })
    const element = fc.tuple(name, name, value).map(([tag, type, text]) => `<p:${tag} x:type="y:${type}" type="${type}">${text}</p:${tag}>`)
    fc.assert(
      fc.property(fc.array(element, { maxLength: 30 }), elements => {
        const text = `<a>${elements.join('')}</a>`
        const [plain, withBytes] = [readXml(text), readXml(text, Buffer.from(text))]
        expect(withBytes).toEqual(plain)
        const names = elements.map(each => /^<p:([^ ]+)/.exec(each)![1])
        expect(plain.children.map(each => each.name)).toEqual(names)
        expect(plain.children.map(each => each.type)).toEqual(plain.children.map(each => each.of))
      }),
    )
  })

  test('200,000 elements inside each other are refused at once', () => {
    expect(() => readXml('<a>'.repeat(200_000))).toThrow('nested deeper')
  })

  test('no text whatsoever does anything but be read or refused', () => {
    const piece = fc.constantFrom(
      '<a>',
      '</a>',
      '<b ',
      'type="x"',
      '/>',
      '>',
      '&amp;',
      '&#1;',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<?x',
      '?>',
      ' ',
      'text',
      '"',
      '&',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), pieces => {
        try {
          readXml(pieces.join(''))
        } catch (error) {
          expect(XmlNotValid.is(error)).toBe(true)
        }
      }),
    )
  })
})

describe('writing XML', () => {
  test('every text that can be sent comes back as it was', () => {
    const character = fc.oneof(
      fc.constantFrom('<', '>', '&', '"', "'", '\r', '\n', '\t', ']]>', '&amp;', 'é', '\u2028', '😀'),
      fc.string({ minLength: 1, maxLength: 1 }),
    )
    const sendable = fc.string({ unit: character })
    fc.assert(
      fc.property(sendable, sendable, (name, annotation) => {
        const root = readXml(envelope('M', { type: 'T', id: 'i' }, { name, spec: { annotation } }))
        const call = child(child(root, 'Body')!, 'M')!
        expect(childText(call, 'name')).toBe(name)
        expect(childText(child(call, 'spec')!, 'annotation')).toBe(annotation)
      }),
    )
  })

  test('lists repeat the element, what is undefined is left out, types and references are said', () => {
    const text = envelope(
      'M',
      { type: 'Folder', id: 'group-1' },
      { a: ['x', 'y'], b: undefined, c: typed('Linux', { n: 1, on: true }), d: reference({ type: 'Task', id: 't<' }) },
    )
    expect(text).toContain(
      '<_this type="Folder">group-1</_this><a>x</a><a>y</a><c xsi:type="Linux"><n>1</n><on>true</on></c><d type="Task">t&lt;</d></M>',
    )
  })

  test.each(['\u0000', '\u001b', '\ufffe', '\ud800'])('what XML cannot carry is refused by the name of its field: %j', character => {
    expect(() => envelope('M', { type: 'T', id: 'i' }, { annotation: `a${character}` })).toThrow('annotation holds a control character')
  })
})
