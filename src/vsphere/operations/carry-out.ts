import { backoff } from '../../ports/index.ts'
import type { VsphereConnection } from '../connection.ts'
import { AnswerNotUnderstood } from '../errors.ts'
import { isFault } from '../soap/session.ts'
import { afterglow, isUnanswered, maybeDone } from '../soap/unanswered.ts'
import { retrieve, refOf } from '../vim/property-collector.ts'
import { TaskForgotten, type Evidence } from '../watch/task-book.ts'
import { child } from '../xml/element.ts'
import type { Ref, XmlFields } from '../xml/writer.ts'

/** How long to keep asking while another task holds the VM. */
const busyFor = 60_000

/** How often a call is made again that certainly had no effect. */
const mostTries = 4

/** How often a question is asked whose answers make no sense: what stands between us and vCenter will not come to its senses. */
const mostNonsense = 3

/** One change, by one task. */
export interface Change<T> {
  readonly method: string
  readonly on: Ref
  readonly args?: XmlFields
  /** What the task is about, for whoever looks at the list of tasks. */
  readonly target: string
  readonly timeout: number
  /** Whether the inventory shows that it has happened. Then nobody need ask about the task. */
  readonly shows?: () => boolean
  /** The inventory shows it before the task is done with it, so the task is asked all the same. */
  readonly showsEarly?: boolean
  /** What is true when the task has succeeded. */
  done(task: Ref, signal: AbortSignal): Promise<T>
  /** After a lost answer: what is true now if the change has happened; undefined if it has not. */
  look(signal: AbortSignal): Promise<T | undefined>
}

/**
 * Makes a change happen once. A lost answer is resolved by looking: first every task is awaited that may be ours, then `look` says
 * whether the change is there, and only if it is not the call is made again. Not even an abort interrupts the call itself (it has
 * its own limit): else a task could run that nobody knows of. It then cancels the task.
 */
export async function carryOut<T>(connection: VsphereConnection, change: Change<T>, parent: AbortSignal): Promise<T> {
  const { clock, chance, session, tasks, log } = connection
  parent.throwIfAborted()
  using limit = clock.deadline(change.timeout, parent)
  const { signal } = limit
  const began = clock.monotonic()
  let [tries, busy] = [0, 0]
  for (;;) {
    let isBegun = false
    try {
      const answer = await session.call(change.method, change.on, change.args ?? {})
      const task = refOf(child(answer, 'returnval'))
      isBegun = true
      await tasks.end(task, { operation: change.method, target: change.target }, signal, evidenceOf(connection, change))
      return await change.done(task, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (isFault(error, 'TaskInProgress') && clock.monotonic() - began < busyFor) {
        // Soon the first time: most often it is the task whose effect has shown a moment before its end.
        await clock.sleep(busy++ === 0 ? 200 : 500 + backoff({ base: 2_000, cap: 8_000, chance }, busy), signal)
        continue
      }
      if (!(isUnanswered(error) || error instanceof TaskForgotten) || ++tries >= mostTries) throw error
      const lost = isBegun || maybeDone(error)
      log.info('no answer from vCenter: looking what it did', { method: change.method, target: change.target, error })
      if (lost) {
        const seen = await whatHappened(connection, change, signal)
        if (seen !== undefined) return seen
      } else await clock.sleep(backoff({ base: 1_000, cap: 10_000, chance }, tries), signal)
    }
  }
}

function evidenceOf({ inventory }: VsphereConnection, { shows, showsEarly }: Change<unknown>): Evidence | undefined {
  if (shows === undefined) return undefined
  const isShown = () => inventory.state.kind === 'live' && shows()
  return {
    isProof: showsEarly !== true,
    onShown: tell => {
      if (isShown()) {
        tell()
        return () => {}
      }
      return inventory.onChange(() => {
        if (isShown()) tell()
      })
    },
  }
}

async function whatHappened<T>(connection: VsphereConnection, change: Change<T>, signal: AbortSignal): Promise<T | undefined> {
  await connection.clock.sleep(afterglow, signal)
  return answered(
    connection,
    async () => {
      await quiet(connection, change.on, signal)
      return change.look(signal)
    },
    signal,
  )
}

/**
 * Waits for every task on the object that nobody here follows: one of them may be the one whose answer was lost. Which one nobody can
 * tell, so none is cancelled, also when the caller gives up: it may be somebody else's.
 */
export async function quiet({ session, tasks }: VsphereConnection, on: Ref, signal: AbortSignal): Promise<void> {
  const { manager } = await session.content(signal)
  const paths = ['info.state', 'info.entity']
  const recent = await retrieve(session, { type: 'Task', paths, from: manager('taskManager'), through: 'recentTask' }, signal)
  for (const { ref, properties } of recent) {
    const state = properties.get('info.state')?.text
    if (properties.get('info.entity')?.text !== on.id || tasks.isOwn(ref.id) || (state !== 'queued' && state !== 'running')) continue
    await tasks.over(ref, signal).catch((error: unknown) => {
      // Who may not look at a task did not begin it.
      if (!isFault(error, 'NoPermission')) throw error
    })
  }
}

/** Repeats what only reads until vCenter answers, or `signal`, which must have an end, is aborted. */
export async function answered<T>({ clock, chance, over }: VsphereConnection, read: () => Promise<T>, signal: AbortSignal): Promise<T> {
  let nonsense = 0
  for (let attempt = 1; ; attempt++) {
    try {
      return await read()
    } catch (error) {
      signal.throwIfAborted()
      over.throwIfAborted()
      if (!isUnanswered(error) || (AnswerNotUnderstood.is(error) && ++nonsense === mostNonsense)) throw error
      await clock.sleep(200 + backoff({ base: 1_000, cap: 15_000, chance }, attempt), signal)
    }
  }
}
