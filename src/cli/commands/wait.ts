import { parseDuration } from '../../ports/index.ts'
import { evaluatePath } from '../../kinds/index.ts'
import type { Kind, Resource } from '../../kinds/index.ts'
import { findCondition } from '../../control/index.ts'
import { StoreError, undefinedIf } from '../../store/index.ts'
import type { Key } from '../../store/index.ts'
import type { Connection, ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import { Usage, WaitedTooLong } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'
import { showOthers } from '../find-object.ts'
import type { Io } from '../io.ts'
import { MissingObjects } from '../missing-objects.ts'
import { namedObjects, refuseNamesBeside } from '../object-names.ts'
import { errorText } from '../output/error-text.ts'
import { nameText } from '../output/objects.ts'
import { Progress } from '../output/progress.ts'
import { until } from '../until.ts'

interface WaitOptions extends ConnectionOptions {
  readonly for: string
  readonly selector?: string
  readonly timeout: string
}

/** What is waited for: whether it is so, and what to say until then. */
interface Goal {
  readonly text: string
  isMet(object: Resource | undefined): boolean
  state(object: Resource | undefined): string
}

/** `aviary wait`: the time is that of all together. Each that is missing or late is told of, and keeps nobody from the others. */
export async function run(args: readonly string[], options: WaitOptions, io: Io): Promise<number> {
  const goal = goalOf(options.for)
  const isDeletion = goal.text === 'delete'
  const timeout = parseDuration(options.timeout)
  const progress = new Progress(io)
  return await connected(options, io, async connection => {
    const missing = new MissingObjects()
    const end = io.clock.monotonic() + timeout
    let isLate = false
    for (const { kind, key } of await targets(args, options, connection)) {
      const name = nameText(kind, key.name)
      const whenGone = isDeletion ? undefinedIf('NotFound') : showOthers(kind, key)
      const look = async () => {
        const object = await connection.store.get(kind, key).catch(whenGone)
        progress.show(`${name}: ${goal.state(object)}`)
        return goal.isMet(object)
      }
      const left = Math.max(0, end - io.clock.monotonic())
      const inTime = await until(left, io, look)
        .catch(missing.note)
        .finally(() => progress.clear())
      if (inTime === true) io.out(`${name} ${isDeletion ? 'deleted' : 'condition met'}\n`)
      if (inTime !== false) continue
      isLate = true
      io.err(errorText(WaitedTooLong({ what: `${goal.text} of ${name}`, seconds: timeout / 1000 })))
    }
    const code = missing.report(io)
    return isLate ? exitCodes.timeout : code
  })
}

async function targets(
  args: readonly string[],
  { selector, for: goal }: WaitOptions,
  { store, where }: Connection,
): Promise<readonly { readonly kind: Kind; readonly key: Key }[]> {
  const found: { readonly kind: Kind; readonly key: Key }[] = []
  const named = namedObjects(args)
  refuseNamesBeside(named, selector)
  for (const { kind, names } of named) {
    if (names.length > 0) found.push(...names.map(name => ({ kind, key: { ...where(kind), name } })))
    else {
      const { items } = await store.list(kind, { ...where(kind), ...(selector === undefined ? {} : { labelSelector: selector }) })
      if (items.length === 0 && goal !== 'delete') throw new StoreError('NotFound', `there are no such ${kind.plural}`)
      found.push(...items.map(item => ({ kind, key: { ...where(kind), name: item.object.metadata.name } })))
    }
  }
  return found
}

function goalOf(text: string): Goal {
  if (text === 'delete')
    return {
      text,
      isMet: object => object === undefined,
      state: object => (object?.metadata.deletionTimestamp === undefined ? 'is there' : 'is being deleted'),
    }
  const [, form, what = '', wanted] = /^(condition|jsonpath)=([^=]+|.*?\}|[^=]*==[^=]*?\)\].*?)(?:=(.*))?$/.exec(text) ?? []
  if (form === 'condition') {
    const status = (wanted ?? 'True').toLowerCase()
    return {
      text,
      isMet: object => object !== undefined && findCondition(object, what)?.status.toLowerCase() === status,
      state: object => {
        const condition = object && findCondition(object, what)
        return condition === undefined ? `has no condition ${what} yet` : `${what} is ${condition.status}: ${condition.message}`
      },
    }
  }
  if (form === 'jsonpath') {
    const path = what.replace(/^'?\{?|\}?'?$/g, '')
    const value = (object: Resource | undefined) => (object === undefined ? undefined : evaluatePath(path, object))
    const isMet = (found: unknown) => (wanted === undefined ? found !== undefined : String(found) === wanted.replace(/^["']|["']$/g, ''))
    return { text, isMet: object => isMet(value(object)), state: object => `${path} is ${JSON.stringify(value(object)) ?? 'not set'}` }
  }
  throw Usage({ what: `--for ${text} is not understood`, fix: 'write condition=TYPE[=STATUS], jsonpath=PATH[=VALUE], or delete' })
}
