import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { XmlNotValid } from '../errors.ts'
import { child, children, childText, childWord } from './element.ts'
import { readXml } from './reader.ts'
import { documents } from './testing/documents.ts'
import { plainTree } from './testing/plain-tree.ts'
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

  test('sections of plain characters are text, comments and instructions are not', () => {
    expect(readXml('<a><![CDATA[<&>]]> and</a>').text).toBe('<&> and')
    expect(readXml('<a>one<!-- & < --> two<![CDATA[&amp;]]>&amp;<?x?></a>').text).toBe('one two&amp;&')
  })

  test('whatever form a document has, every element says what it means', () => {
    fc.assert(
      fc.property(documents, ({ source, means }) => {
        expect(plainTree(readXml(source))).toEqual(means)
        expect(plainTree(readXml(Buffer.from(source)))).toEqual(means)
      }),
    )
  })

  test('children are found by their whole names, the first or all of them', () => {
    fc.assert(
      fc.property(documents, ({ source, means }) => {
        const root = readXml(source)
        for (const name of [
          'a',
          'ab',
          ...means.children.flatMap(each => (/^[ -~]+$/.test(each.name) ? [each.name, `${each.name}x`] : [])),
        ]) {
          const found = means.children.filter(each => each.name === name)
          expect(children(root, name).map(plainTree)).toEqual(found)
          expect(child(root, name)?.name).toBe(found[0]?.name)
          expect([childText(root, name), childWord(root, name)]).toEqual([found[0]?.text, found[0]?.text])
        }
      }),
    )
  })

  test('no part of a document is taken for the whole', () => {
    fc.assert(
      fc.property(documents, fc.nat(), ({ source }, place) => {
        const document = source.slice(0, source.lastIndexOf('>', source.indexOf('<!-- last') - 1) + 1)
        const cut = Buffer.from(document).subarray(0, place % Buffer.byteLength(document))
        expect(() => readXml(cut)).toThrow(expect.objectContaining({ code: XmlNotValid.code }))
      }),
    )
  })

  test('a document that was damaged on its way is read or refused, and nothing else happens', () => {
    fc.assert(
      fc.property(documents, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 5 }), ({ source }, damages) => {
        const bytes = Buffer.from(source)
        for (const [place, byte] of damages) bytes[place % bytes.length] = byte
        try {
          plainTree(readXml(bytes))
        } catch (error) {
          expect(XmlNotValid.is(error)).toBe(true)
        }
      }),
    )
  })

  test('a mark of the byte order is no text, and bytes that are no UTF-8 stand for a character that cannot be shown', () => {
    expect(readXml(Buffer.from('\ufeff<a>é</a>')).text).toBe('é')
    expect(readXml(Buffer.from([...Buffer.from('<a>x'), 0xc3, ...Buffer.from('</a>')])).text).toBe('x\ufffd')
  })

  test('a part of a larger piece of memory is read as that part', () => {
    const memory = Buffer.from('<b>before</b><a>this</a><c>after</c>')
    expect(readXml(memory.subarray(13, 24)).text).toBe('this')
  })

  test('a document keeps what it says when others are read after it', () => {
    const many = (name: string) => `<r>${`<${name}>${name}</${name}>`.repeat(5_000)}</r>`
    const [first, second] = [readXml(many('one')), readXml(many('two'))]
    expect(first.children).toHaveLength(5_000)
    expect([first.children.at(-1)?.text, second.children.at(-1)?.text]).toEqual(['one', 'two'])
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
    ['text before elements', '<a>text<b/></a>'],
    ['text between elements', '<a><b/>text<b/></a>'],
    ['text behind elements', '<a><b/>text</a>'],
    ['plain characters before elements', '<a><![CDATA[<!-- ]]><b/></a>'],
    ['plain characters behind elements', '<a><b/><![CDATA[text]]></a>'],
    ['plain characters outside the document', '<![CDATA[ ]]><a/>'],
    ['text before a comment and elements', '<a>text<!-- --><b/></a>'],
    ['an entity beside elements', '<a>&#32;<b/></a>'],
    ['text before the document', 'text<a/>'],
    ['text after the end', '<a/>text'],
    ['an attribute twice', '<a type="x" type="y"/>'],
    ['an attribute twice, apart', '<a type="x" b="" c="" type="y"/>'],
    ['more attributes than anything has', `<a ${Array.from({ length: 65 }, (_, count) => `b${count}=""`).join(' ')}/>`],
    ['an attribute without quotes', '<a type=x/>'],
    ['an attribute without a value', '<a type/>'],
    ['attributes that touch', '<a b="1"type="x"/>'],
    ['a tag inside an attribute', '<a b="<c>"/>'],
    ['an entity in an attribute that nobody declared', '<a b="&x;"/>'],
    ['an entity that does not end', '<a>&amp</a>'],
    ['an entity of nothing', '<a>&;</a>'],
    ['a reference without a number', '<a>&#;</a>'],
    ['a reference with a wrong digit', '<a>&#1a;</a>'],
    ['a reference to half a character', '<a>&#xd800;</a>'],
    ['a reference of endless length', `<a>&#${'0'.repeat(1_000)}65;</a>`],
    ['an attribute that does not end', '<a type="x'],
    ['a tag that does not end', '<a'],
    ['a comment that does not end', '<a><!-- </a>'],
    ['a name that is missing', '<a>< b/></a>'],
  ])('%s is refused', (_, text) => {
    expect(() => readXml(text)).toThrow(expect.objectContaining({ code: XmlNotValid.code }))
  })

  test('names of any length and letters, the same ones or thousands, are told apart', () => {
    const name = fc.stringMatching(/^[a-zé][a-z.é-]{0,120}$/)
    fc.assert(
      fc.property(fc.array(fc.tuple(name, name), { maxLength: 30 }), names => {
        const root = readXml(`<a>${names.map(([tag, type]) => `<p:${tag} x:type="y:${type}" type="${type}"/>`).join('')}</a>`)
        expect(root.children.map(each => each.name)).toEqual(names.map(([tag]) => tag))
        expect(root.children.map(each => each.type)).toEqual(names.map(([, type]) => type))
        expect(root.children.map(each => each.of)).toEqual(names.map(([, type]) => type))
      }),
    )
    const thousands = Array.from({ length: 10_000 }, (_, count) => `n${count}`)
    expect(readXml(`<a>${thousands.map(each => `<${each}/>`).join('')}</a>`).children.map(each => each.name)).toEqual(thousands)
  })

  test('200,000 elements inside each other are refused at once', () => {
    expect(() => readXml('<a>'.repeat(200_000))).toThrow('nested deeper')
  })

  test('more elements than anything has are refused', () => {
    expect(readXml('<a><b/><b/></a>', 3).children).toHaveLength(2)
    expect(() => readXml('<a><b/><b/><b/></a>', 3)).toThrow('more than 3 elements')
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
