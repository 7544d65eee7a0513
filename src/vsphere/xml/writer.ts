import { Secret } from '../../ports/index.ts'
import { TextNotSendable } from '../errors.ts'

const typeName: unique symbol = Symbol('xsi:type')

/** A managed object: its kind and vCenter's identifier for it. */
export interface Ref {
  readonly type: string
  readonly id: string
}

/** What an element holds. Fields are written in the order in which they stand, which must be that of vCenter's schema. */
export type XmlValue = string | number | boolean | Secret | Reference | readonly XmlValue[] | XmlFields

/** An element's children; undefined ones are left out, lists become repeated elements. */
export interface XmlFields {
  readonly [name: string]: XmlValue | undefined
  readonly [typeName]?: string
}

/** A reference as a value to write. A class, so that no data object is taken for one. */
export class Reference {
  readonly ref: Ref

  constructor(ref: Ref) {
    this.ref = ref
  }
}

/** Writes an object reference. */
export function reference(ref: Ref): Reference {
  return new Reference(ref)
}

/** Fields whose `xsi:type` must be said, because the schema allows several. */
export function typed(type: string, fields: XmlFields): XmlFields {
  return { ...fields, [typeName]: type }
}

/** One call as an envelope. Secrets are revealed here and nowhere else. */
export function envelope(method: string, target: Ref, args: XmlFields): string {
  return (
    '<?xml version="1.0" encoding="UTF-8"?>' +
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" ' +
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>' +
    `<${method} xmlns="urn:vim25">${element('_this', reference(target))}${fieldsText(args)}</${method}>` +
    '</soapenv:Body></soapenv:Envelope>'
  )
}

function fieldsText(fields: XmlFields): string {
  let text = ''
  for (const name of Object.keys(fields)) {
    const value = fields[name]
    if (value !== undefined) text += element(name, value)
  }
  return text
}

function element(name: string, value: XmlValue): string {
  if (typeof value === 'string') return `<${name}>${escaped(value, name)}</${name}>`
  if (typeof value === 'number' || typeof value === 'boolean') return `<${name}>${value}</${name}>`
  if (value instanceof Secret) return `<${name}>${escaped(value.reveal(), name)}</${name}>`
  if (value instanceof Reference) {
    const { type, id } = value.ref
    return `<${name} type="${escaped(type, name)}">${escaped(id, name)}</${name}>`
  }
  if (isList(value)) return value.map(item => element(name, item)).join('')
  const type = value[typeName]
  return `<${name}${type === undefined ? '' : ` xsi:type="${type}"`}>${fieldsText(value)}</${name}>`
}

function isList(value: XmlValue): value is readonly XmlValue[] {
  return Array.isArray(value)
}

const special = /[&<>"\r]/g
const written: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' }
const impossible =
  // oxlint-disable-next-line no-control-regex -- XML 1.0 cannot carry them, not even as references
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** A text made safe to stand in an element or attribute. Throws `TextNotSendable`. */
function escaped(text: string, field: string): string {
  if (impossible.test(text)) throw TextNotSendable({ field })
  return text.replace(special, character => written[character] as string)
}
