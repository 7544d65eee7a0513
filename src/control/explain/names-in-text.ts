import type { ObjectName } from './explanation.ts'

const name = /\b([A-Z][A-Za-z0-9]*)\/([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)(?:\/([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?))?/g

/**
 * The objects that a sentence names, as `Kind/name` or `Kind/namespace/name`; each once. Without a namespace they are looked for
 * in `namespace`.
 */
export function namesInText(text: string, namespace: string | undefined): readonly ObjectName[] {
  const found = new Map<string, ObjectName>()
  for (const [whole, kind = '', first = '', second] of text.matchAll(name)) {
    const space = second === undefined ? namespace : first
    found.set(whole, { kind, name: second ?? first, ...(space === undefined ? {} : { namespace: space }) })
  }
  return [...found.values()]
}
