import { PlatformFault, type PlatformTask } from '../../platform/index.ts'
import type { Clock } from '../../ports/index.ts'
import { type TaskRequest, WorldTask } from './world-task.ts'

/** How many tasks that are over are still shown. */
const mostEnded = 100

/** The tasks of a simulated world: those under way, and the last ones that are over. */
export class TaskList {
  readonly #clock: Clock
  readonly #tasks = new Map<string, WorldTask>()
  readonly #slow = new Map<string, number>()
  #nextNumber = 1

  constructor(clock: Clock) {
    this.#clock = clock
  }

  begin<T>(request: TaskRequest<T>): WorldTask<T> {
    const milliseconds = this.#slow.get(request.operation) ?? request.milliseconds
    this.#slow.delete(request.operation)
    const task = new WorldTask(`task-${this.#nextNumber++}`, this.#clock, { ...request, milliseconds })
    this.#tasks.set(task.id, task)
    const ended = Array.from(this.#tasks.values()).filter(({ running }) => !running)
    for (const old of ended.slice(0, -mostEnded)) this.#tasks.delete(old.id)
    return task
  }

  /** What is under way on a VM, or on a name. */
  on(target: string): WorldTask | undefined {
    return Array.from(this.#tasks.values()).find(task => task.running && task.target === target)
  }

  byKey(key: string): WorldTask | undefined {
    return Array.from(this.#tasks.values()).find(task => task.key === key)
  }

  /** Ends a task without its effect; does nothing if it is over. */
  cancel(key: string): void {
    const task = this.byKey(key)
    task?.cancel(PlatformFault({ what: `${task.operation} of ${task.target}`, fault: 'the task was cancelled' }))
  }

  /** The next task of this sort takes so long; Infinity for ever. */
  slowNext(operation: string, milliseconds: number): void {
    this.#slow.set(operation, Math.min(milliseconds, 2 ** 40))
  }

  view(): readonly PlatformTask[] {
    return Array.from(this.#tasks.values(), task => task.view())
  }
}
