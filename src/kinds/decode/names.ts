// What Kubernetes takes for a name, a label and the like, with its own words for what is wrong. Each gives a list of complaints.

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain = `${label}(\\.${label})*`
const key = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const value = `(${key})?`
const configKey = '[-._a-zA-Z0-9]+'

const labelExpression = new RegExp(`^${label}$`)
const subdomainExpression = new RegExp(`^${subdomain}$`)
const keyExpression = new RegExp(`^${key}$`)
const valueExpression = new RegExp(`^${value}$`)
const configKeyExpression = new RegExp(`^${configKey}$`)

const good: readonly string[] = []

/** The names of nearly all objects: lower case, digits, dashes and dots. */
export function subdomainComplaints(text: string, unit = 'characters'): readonly string[] {
  if (text.length <= 253 && subdomainExpression.test(text)) return good
  const complaints: string[] = []
  if (utf8Length(text) > 253) complaints.push(`must be no more than 253 ${unit}`)
  if (!subdomainExpression.test(text)) {
    complaints.push(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an " +
        `alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomain}')`,
    )
  }
  return complaints
}

/** The names of namespaces and of what becomes a host name: no dots, at most 63 characters. */
export function labelNameComplaints(text: string): readonly string[] {
  if (text.length <= 63 && labelExpression.test(text)) return good
  const complaints: string[] = []
  if (utf8Length(text) > 63) complaints.push('must be no more than 63 characters')
  if (labelExpression.test(text)) return complaints
  if (subdomainExpression.test(text)) complaints.push('must not contain dots')
  else {
    complaints.push(
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric " +
        `character (e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`,
    )
  }
  return complaints
}

const keyRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  `(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${key}')`

/** Keys of labels and annotations, and finalizers: a name, perhaps with a domain and a slash before it. */
export function qualifiedNameComplaints(text: string): readonly string[] {
  const parts = text.split('/')
  if (parts.length > 2) return [`a valid label key ${keyRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  const name = parts.at(-1)!
  const prefix = parts.length === 2 ? parts[0]! : undefined
  const complaints: string[] = []
  if (prefix === '') complaints.push('prefix part must be non-empty')
  else if (prefix !== undefined) complaints.push(...subdomainComplaints(prefix, 'bytes').map(complaint => `prefix part ${complaint}`))
  if (name === '') complaints.push('name part must be non-empty')
  else if (utf8Length(name) > 63) complaints.push('name part must be no more than 63 bytes')
  if (!keyExpression.test(name)) complaints.push(`name part ${keyRule}`)
  return complaints
}

/** Values of labels: short, and empty if you like. */
export function labelValueComplaints(text: string): readonly string[] {
  if (text.length <= 63 && valueExpression.test(text)) return good
  const complaints: string[] = []
  if (utf8Length(text) > 63) complaints.push('must be no more than 63 bytes')
  if (!valueExpression.test(text)) {
    complaints.push(
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
        `alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${value}')`,
    )
  }
  return complaints
}

/** Keys of a ConfigMap or Secret: what can be the name of a file. */
export function configKeyComplaints(text: string): readonly string[] {
  const complaints: string[] = []
  if (utf8Length(text) > 253) complaints.push('must be no more than 253 characters')
  if (!configKeyExpression.test(text)) {
    complaints.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' " +
        `(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '${configKey}')`,
    )
  }
  if (text === '.') complaints.push("must not be '.'")
  else if (text === '..') complaints.push("must not be '..'")
  else if (text.startsWith('..')) complaints.push("must not start with '..'")
  return complaints
}

/** How many bytes a text takes, as Kubernetes counts. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text)
}
