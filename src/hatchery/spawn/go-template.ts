/** What a template may use, and what each is replaced with. */
export type TemplateValues = Readonly<Record<string, string | number | boolean>>

/**
 * Fills in a template in the language that worker models of CDS are written in, as far as models use it: variables, comments,
 * trimming, texts in quotes, and `if`, `else`, `end` on one variable. Plain text stays plain: the original escapes it as for a web
 * page, which breaks base64. Throws an Error with the reason for everything else.
 */
export function renderTemplate(template: string, values: TemplateValues): string {
  const tokens = tokensOf(template)
  const [text] = renderUntil(tokens, 0, values, true)
  return text
}

type Token = { readonly text: string } | { readonly action: string }

const action = /\{\{(- )?\s*(\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|`[^`]*`|[^{}"`]*?)\s*( -)?\}\}/g

function tokensOf(template: string): readonly Token[] {
  const tokens: Token[] = []
  let [from, trims] = [0, false]
  const add = (text: string, trimEnd: boolean) => {
    const begun = trims ? text.trimStart() : text
    tokens.push({ text: mustBePlain(trimEnd ? begun.trimEnd() : begun) })
  }
  for (const match of template.matchAll(action)) {
    add(template.slice(from, match.index), match[1] !== undefined)
    tokens.push({ action: match[2] ?? '' })
    trims = match[3] !== undefined
    from = match.index + match[0].length
  }
  add(template.slice(from), false)
  return tokens
}

function mustBePlain(text: string): string {
  if (text.includes('{{')) throw new Error(`"${text.slice(text.indexOf('{{')).slice(0, 40)}" is not something that a template can hold`)
  return text
}

/** The text up to the `else` or `end` that belongs to the part at `at`, or to the end of all, and where it ends. */
function renderUntil(tokens: readonly Token[], at: number, values: TemplateValues, isWhole: boolean): readonly [string, number] {
  let text = ''
  for (let index = at; index < tokens.length; index++) {
    const token = tokens[index] as Token
    if ('text' in token) text += token.text
    else if (token.action === 'end' || token.action === 'else') {
      if (isWhole) throw new Error(`{{${token.action}}} belongs to no {{if}}`)
      return [text, index]
    } else if (/^if\b/.test(token.action)) {
      const [part, end] = renderIf(tokens, index, token.action, values)
      text += part
      index = end
    } else text += valueOf(token.action, values)
  }
  if (!isWhole) throw new Error('an {{if}} has no {{end}}')
  return [text, tokens.length]
}

function renderIf(tokens: readonly Token[], at: number, what: string, values: TemplateValues): readonly [string, number] {
  const [, not, name] = /^if\s+(not\s+)?\.(\w+)$/.exec(what) ?? []
  if (name === undefined) throw new Error(`{{${what}}} is not understood: only {{if .Name}} and {{if not .Name}} are`)
  const truth = Boolean(lookUp(name, values)) === (not === undefined)
  const [yes, middle] = renderUntil(tokens, at + 1, values, false)
  const token = tokens[middle] as Token
  if (!('action' in token && token.action === 'else')) return [truth ? yes : '', middle]
  const [no, end] = renderUntil(tokens, middle + 1, values, false)
  const last = tokens[end] as Token
  if ('action' in last && last.action === 'else') throw new Error('an {{if}} has two {{else}}')
  return [truth ? yes : no, end]
}

function valueOf(what: string, values: TemplateValues): string {
  if (what.startsWith('/*')) return ''
  if (what.startsWith('`')) return what.slice(1, -1)
  if (what.startsWith('"')) return JSON.parse(what) as string
  const [, name] = /^\.(\w+)$/.exec(what) ?? []
  if (name === undefined) throw new Error(`{{${what}}} is not understood: only variables as {{.Name}} are`)
  return String(lookUp(name, values))
}

function lookUp(name: string, values: TemplateValues): string | number | boolean {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  if (value === undefined) throw new Error(`there is no variable {{.${name}}}`)
  return value
}
