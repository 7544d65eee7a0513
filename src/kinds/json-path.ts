import { isPlainObject } from './decode/copy-json.ts'

/** One step of a path: from values to the values under them. */
type Step = (value: unknown) => readonly unknown[]

const compiled = new Map<string, readonly Step[]>()

/**
 * The value that a printer column shows: the first one that a path of Kubernetes' JSONPath leads to, undefined if there is
 * none. `.spec.size`, `.metadata.labels['app']`, `.metadata.labels.example\.com/app`, `.spec.disks[0]`, `.spec.disks[*].size`,
 * `.status.conditions[?(@.type=="Ready")].status`. Throws on a path that cannot be read.
 */
export function evaluatePath(path: string, object: unknown): unknown {
  let steps = compiled.get(path)
  if (steps === undefined) {
    steps = compile(path)
    compiled.set(path, steps)
  }
  let values: readonly unknown[] = [object]
  for (const step of steps) {
    // Nearly always there is one value: no need for another list.
    values = values.length === 1 ? step(values[0]) : values.flatMap(step)
    if (values.length === 0) return undefined
  }
  return values[0]
}

const none: readonly unknown[] = []

/** `.name` with escaped dots, `['name']`, `[0]`, `[*]`, `[?(…)]`, `.*` */
const stepPattern =
  /\.(?<wild>\*)|\.(?<name>(?:[^.[\]\\]|\\.)+)|\[(?<quote>['"])(?<quoted>(?:[^'"\\]|\\.)*)\k<quote>\]|\[(?<index>-?\d+)\]|(?<each>\[\*\])|\[\?\((?<filter>(?:[^"')]|"[^"]*"|'[^']*')*)\)\]/y

function compile(path: string): readonly Step[] {
  const text = path.startsWith('{') && path.endsWith('}') ? path.slice(1, -1) : path
  const steps: Step[] = []
  stepPattern.lastIndex = 0
  while (stepPattern.lastIndex < text.length) {
    const at = stepPattern.lastIndex
    const match = stepPattern.exec(text)
    if (match === null) throw new TypeError(`cannot read the path ${path} from ${JSON.stringify(text.slice(at))} on`)
    const { wild, each, name, quoted, index, filter } = match.groups!
    if (wild !== undefined || each !== undefined) steps.push(everything)
    else if (index !== undefined) steps.push(item(Number(index)))
    else if (filter !== undefined) steps.push(filtered(filter, path))
    else steps.push(field((name ?? quoted)!.replace(/\\(.)/g, '$1')))
  }
  return steps
}

function field(name: string): Step {
  return value => (isPlainObject(value) && Object.hasOwn(value, name) ? [value[name]] : none)
}

function item(index: number): Step {
  return value => {
    if (!Array.isArray(value)) return none
    const place = index < 0 ? index + value.length : index
    return place in value ? [value[place]] : none
  }
}

function everything(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : isPlainObject(value) ? Object.values(value) : none
}

const filterPattern = /^\s*@(?<path>[^=!<>]*?)\s*(?:(?<operator>==|!=|<=|>=|<|>)\s*(?<literal>"[^"]*"|'[^']*'|[^\s"']+)\s*)?$/

function filtered(filter: string, path: string): Step {
  const match = filterPattern.exec(filter)
  if (match === null) throw new TypeError(`cannot read the filter (${filter}) of the path ${path}`)
  const { path: inner, operator, literal } = match.groups as { path: string; operator?: string; literal?: string }
  const wanted = literal === undefined ? undefined : literalValue(literal, path)
  return value => {
    if (!Array.isArray(value)) return none
    return value.filter(one => compares(operator, evaluatePath(inner, one), wanted))
  }
}

function literalValue(text: string, path: string): unknown {
  if (/^["']/.test(text)) return text.slice(1, -1)
  if (text === 'true' || text === 'false') return text === 'true'
  const number = Number(text)
  if (Number.isNaN(number)) throw new TypeError(`cannot read ${text} in the path ${path}: texts stand in quotes`)
  return number
}

function compares(operator: string | undefined, left: unknown, right: unknown): boolean {
  if (left === undefined) return false
  if (operator === undefined) return true
  if (typeof left !== typeof right) return false
  const [a, b] = [left as number, right as number]
  switch (operator) {
    case '==':
      return a === b
    case '!=':
      return a !== b
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '>':
      return a > b
    default:
      return a >= b
  }
}
