import { parseDocument } from 'yaml'
import { isPlainObject } from '../../kinds/index.ts'

/** An install-config, or a part of one. */
export type Mapping = Record<string, unknown>

/**
 * Reads the template of install-configs. What is wrong with it is said by the line alone: a template may hold credentials, and a
 * parser's own words quote what it stumbled over.
 */
export function readTemplate(text: string): { readonly template: Mapping } | { readonly fault: string } {
  const document = parseDocument(text)
  const [error] = document.errors
  const line = error?.linePos?.[0].line
  const template = error === undefined ? valueOf(document) : undefined
  return template === undefined ? { fault: `is not a YAML mapping${line === undefined ? '' : ` (line ${line})`}` } : { template }
}

function valueOf(document: ReturnType<typeof parseDocument>): Mapping | undefined {
  try {
    const value: unknown = document.toJS()
    return isPlainObject(value) ? value : undefined
  } catch {
    // Aliases that lead nowhere, or to each other without end.
    return undefined
  }
}
