/** What an answer says, without what differs from run to run or from server to server. */
export interface NormalAnswer {
  readonly status: number
  readonly warnings?: readonly string[]
  readonly body: unknown
}

/** Takes out of an answer what does not count: identities, moments, revisions, and prose that nobody reads by program. */
export function normaliseAnswer(status: number, warning: string | readonly string[] | undefined, text: string): NormalAnswer {
  const warnings = warning === undefined ? [] : [warning].flat()
  return { status, ...(warnings.length === 0 ? {} : { warnings: [warnings.join(', ')] }), body: bodyOf(text) }
}

function bodyOf(text: string): unknown {
  try {
    return normal(JSON.parse(text))
  } catch {
    // A watch: one event a line.
    if (!text.startsWith('{')) return text
    return text
      .trim()
      .split('\n')
      .map(line => normal(JSON.parse(line)))
  }
}

/** Fields that only one of the servers has, and that no client needs. */
const dropped = new Set(['managedFields', 'storageVersionHash', 'serverAddressByClientCIDRs', 'description'])

function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal)
  if (typeof value === 'string') return normalText(value)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([key, inner]) => !dropped.has(key) && !(key === 'continue' && inner === ''))
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, normalField(key, inner)]).toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  )
}

function normalField(key: string, value: unknown): unknown {
  if (key === 'continue') return 'TOKEN'
  if (key === 'resourceVersion' && typeof value === 'string' && /^\d+$/.test(value)) return 'REVISION'
  if (key === 'verbs' && Array.isArray(value)) return value.map(String).toSorted((a, b) => (a < b ? -1 : 1))
  // The real server finds some problems twice and says them once.
  if (key === 'causes' && Array.isArray(value)) return [...new Map(value.map(cause => [JSON.stringify(cause), normal(cause)])).values()]
  return normal(value)
}

function normalText(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
    .replace(/current: \d+/, 'current: REVISION')
    .replace(/in record \(\d+\)/, 'in record (REVISION)')
    .replace(/^\d+(m\d+)?s$/, 'AGE')
    .replace(/patch: Invalid value: "\{.*\}": strict/s, 'patch: Invalid value: OBJECT: strict')
    .replace(/^Invalid value: "\{.*\}": strict/s, 'Invalid value: OBJECT: strict')
    .replace(', application/apply-patch+yaml', '')
}
