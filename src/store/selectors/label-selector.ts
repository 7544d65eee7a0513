import { StoreError } from '../errors.ts'

/** One condition on a label. `values` is empty for `exists` and `absent`, and holds one whole number for the comparisons. */
export interface LabelRequirement {
  readonly key: string
  readonly operator: 'in' | 'notin' | 'exists' | 'absent' | 'greater' | 'less'
  readonly values: readonly string[]
}

/** Conditions that must all hold. */
export type LabelSelector = readonly LabelRequirement[]

type Labels = Readonly<Record<string, string>>

/** Whether labels obey every requirement. As in Kubernetes, `!=` and `notin` also hold where the label is missing. */
export function matchesLabels(selector: LabelSelector, labels: Labels | undefined): boolean {
  return selector.every(requirement => holds(requirement, labelOf(labels, requirement.key)))
}

function labelOf(labels: Labels | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined
}

function holds({ operator, values }: LabelRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'in':
      return value !== undefined && values.includes(value)
    case 'notin':
      return value === undefined || !values.includes(value)
    case 'exists':
      return value !== undefined
    case 'absent':
      return value === undefined
    case 'greater':
      return isWholeNumber(value) && BigInt(value) > BigInt(values[0]!)
    case 'less':
      return isWholeNumber(value) && BigInt(value) < BigInt(values[0]!)
  }
}

/** As Kubernetes reads them: 64 bits. A label cannot begin with a minus. */
function isWholeNumber(value: string | undefined): value is string {
  return value !== undefined && /^\d{1,19}$/.test(value) && BigInt(value) < 2n ** 63n
}

/** Reads Kubernetes' selector syntax: `app=web,tier in (a,b),!old,size>3`. Throws BadRequest. */
export function parseLabelSelector(text: string): LabelSelector {
  return new Parser(text).parse()
}

/** Each is asked of every object of a list and of every change of a watch. */
const maxRequirements = 50
const maxValues = 500

const symbols = ['==', '!=', '=', '!', ',', '(', ')', '>', '<'] as const

/** Recursive descent over the tokens of one selector. */
class Parser {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(text: string) {
    this.#tokens = tokensOf(text)
  }

  parse(): LabelSelector {
    const requirements: LabelRequirement[] = []
    if (this.#peek() === undefined) return requirements
    for (;;) {
      requirements.push(this.#requirement())
      if (requirements.length > maxRequirements) throw bad(`more than ${maxRequirements} requirements`)
      const separator = this.#take()
      if (separator === undefined) return requirements
      if (separator !== ',') throw bad(`found '${separator}', expected: ',' or 'end of string'`)
      if (this.#peek() === undefined) throw bad(`found '', expected: identifier after ','`)
    }
  }

  #requirement(): LabelRequirement {
    if (this.#peek() === '!') {
      this.#take()
      return { key: this.#key(), operator: 'absent', values: [] }
    }
    const key = this.#key()
    const operator = this.#peek()
    if (operator === undefined || operator === ',') return { key, operator: 'exists', values: [] }
    this.#take()
    switch (operator) {
      case '=':
      case '==':
        return { key, operator: 'in', values: [this.#value(key)] }
      case '!=':
        return { key, operator: 'notin', values: [this.#value(key)] }
      case 'in':
      case 'notin':
        return { key, operator, values: this.#values(key) }
      case '>':
      case '<':
        return { key, operator: operator === '>' ? 'greater' : 'less', values: [this.#number(key)] }
      default:
        throw bad(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`)
    }
  }

  #key(): string {
    const key = this.#take()
    if (key === undefined || isSymbol(key)) throw bad(`found '${key ?? ''}', expected: !, identifier, or 'end of string'`)
    const problem = keyProblem(key)
    if (problem !== undefined) throw bad(`<nil>: Invalid value: "${key}": ${problem}`)
    return key
  }

  #value(key: string): string {
    const next = this.#peek()
    if (next === undefined || next === ',') return ''
    if (isSymbol(next)) throw bad(`found '${next}', expected: identifier`)
    return checkedValue(key, this.#take()!)
  }

  #number(key: string): string {
    const text = this.#value(key)
    if (isWholeNumber(text)) return text
    throw bad(`values[0][${key}]: Invalid value: ${JSON.stringify(text)}: for 'Gt', 'Lt' operators, the value must be an integer`)
  }

  /** `(a,b,)`: an empty place between commas is the empty value. */
  #values(key: string): readonly string[] {
    const open = this.#take()
    if (open !== '(') throw bad(`found '${open ?? ''}' expected: '('`)
    const values = new Set<string>()
    for (let value = ''; ;) {
      const next = this.#take()
      if (next === ',' || next === ')') {
        values.add(value)
        if (values.size > maxValues) throw bad(`more than ${maxValues} values of ${key}`)
        value = ''
        if (next === ')') return [...values]
      } else if (next === undefined || isSymbol(next) || value !== '') {
        throw bad(`found '${next ?? ''}', expected: ',', ')' or identifier`)
      } else {
        value = checkedValue(key, next)
      }
    }
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at]
  }

  #take(): string | undefined {
    return this.#tokens[this.#at++]
  }
}

const wordExpression = /[^\s=!,()<>]+/y

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = []
  for (let at = 0; at < text.length;) {
    const symbol = symbols.find(candidate => text.startsWith(candidate, at))
    if (symbol !== undefined) {
      tokens.push(symbol)
      at += symbol.length
    } else if (/\s/.test(text[at]!)) {
      at++
    } else {
      wordExpression.lastIndex = at
      const word = wordExpression.exec(text)![0]
      tokens.push(word)
      at += word.length
    }
  }
  return tokens
}

function isSymbol(token: string): boolean {
  return (symbols as readonly string[]).includes(token)
}

const namePattern = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const prefixPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

function keyProblem(key: string): string | undefined {
  const parts = key.split('/')
  if (parts.length > 2) return `a qualified name must be a name with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`
  const name = parts.at(-1)!
  if (parts.length === 2 && (parts[0]!.length > 253 || !prefixPattern.test(parts[0]!)))
    return 'prefix part must be a lowercase RFC 1123 subdomain'
  if (name.length > 63) return 'name part must be no more than 63 characters'
  if (!namePattern.test(name)) {
    return `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`
  }
  return undefined
}

function checkedValue(key: string, value: string): string {
  if (value.length > 63) throw bad(`values[0][${key}]: Invalid value: "${value}": must be no more than 63 characters`)
  if (!namePattern.test(value)) {
    throw bad(
      `values[0][${key}]: Invalid value: "${value}": a valid label must be an empty string or consist of alphanumeric characters, ` +
        `'-', '_' or '.', and must start and end with an alphanumeric character`,
    )
  }
  return value
}

function bad(why: string): StoreError {
  return new StoreError('BadRequest', `unable to parse requirement: ${why}`, {
    fix: 'write a label selector such as app=web,tier in (a,b),!old',
  })
}
