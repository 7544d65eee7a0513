import type { ExplainReader } from './explain-reader.ts'
import type { ObjectName } from './explanation.ts'

const name = /\b([A-Z][A-Za-z0-9]*)\/([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)(?:\/([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?))?/g

/** Where a sentence stands, and which of its words are kinds. */
interface Surroundings {
  /** Where objects are whose namespace is not said. */
  readonly namespace: string | undefined
  readonly scopeOf: ExplainReader['scopeOf']
}

/**
 * The objects that a sentence names, as `Kind/name` or `Kind/namespace/name`; each once. What is no kind names nothing, and neither
 * does what could be in any namespace.
 */
export function namesInText(text: string, { namespace, scopeOf }: Surroundings): readonly ObjectName[] {
  const found = new Map<string, ObjectName>()
  for (const [, kind = '', first = '', second] of text.matchAll(name)) {
    const scope = scopeOf({ kind })
    // What has no namespace ends with its name: whatever follows the next slash is not about it.
    if (scope === 'Cluster') found.set(`${kind}/${first}`, { kind, name: first })
    if (scope !== 'Namespaced') continue
    const place = second === undefined ? namespace : first
    const called = second ?? first
    if (place !== undefined) found.set(`${kind}/${place}/${called}`, { kind, namespace: place, name: called })
  }
  return [...found.values()]
}
