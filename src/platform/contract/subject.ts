import type { Secret } from '../../ports/index.ts'
import type { CloneRequest, Platform, Vm } from '../platform.ts'

/** The calls of a platform that can be cut off. */
export type Cuttable =
  | 'clone'
  | 'claim'
  | 'rename'
  | 'annotate'
  | 'powerOn'
  | 'powerOff'
  | 'shutDown'
  | 'runInGuest'
  | 'destroy'
  | 'markAsTemplate'

/** What is behind a platform, as the suite must be able to touch it without the platform: by another account, a proxy, or directly. */
export interface World {
  /** A template whose guests boot, report an address and take commands. */
  readonly template: string
  /** Who may log in to guests that are made from it. */
  readonly login: { readonly user: string; readonly password: Secret }
  /** A program that ends by itself soon, with code 0. */
  readonly program: { readonly program: string; readonly args: string }
  /** Waits for a promise; where time is virtual it moves time on meanwhile. */
  settle<T>(promise: Promise<T>): Promise<T>
  /** Lets so much time pass. */
  pass(milliseconds: number): Promise<void>
  /** One more program on the same platform, with a session of its own. The first one may be gone by then. */
  connect(): Promise<Platform>
  /** Somebody else makes a VM; resolves with its id. */
  foreignVm(settings: { readonly name: string; readonly annotation?: string; readonly power?: 'on' | 'off' }): Promise<string>
  /** Somebody else renames a VM. */
  rename(id: string, name: string): Promise<void>
  /** Somebody else removes a VM. */
  remove(id: string): Promise<void>
  /** The ids of the VMs that have the name, as an independent eye sees them. */
  named(name: string): Promise<readonly string[]>
  /** How many programs were started in a guest. */
  programsStarted(id: string): Promise<number>
  /** How many tasks run. */
  runningTasks(): Promise<number>
  /** The platform's next call of this sort is cut off before it arrives, or after it was carried out. */
  cutNext(call: Cuttable, when: 'before' | 'after'): void
  /** All sessions end. */
  expireSessions(): Promise<void>
  /** The next task of this sort does not end by itself in the time that a test takes. */
  holdNext?(call: 'clone' | 'powerOn'): void
  /** From now on the platform answers nothing, or everything again. */
  silence?(silent: boolean): Promise<void>
}

/** One platform under test. */
export interface Subject {
  readonly platform: Platform
  readonly world: World
  cleanup(): Promise<void>
}

/** What the parts of the suite share. */
export interface Bench extends Subject {
  /** A name that nothing has yet. */
  name(label: string): string
  /** A request for a VM of that name with the suite's own mark. */
  request(name: string, more?: Partial<CloneRequest>): CloneRequest
  /** Makes a VM. */
  vm(label: string, more?: Partial<CloneRequest>): Promise<Vm>
  /** Waits for a promise with nothing that would call it off. */
  done<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** What a promise is rejected with. */
  failure(call: (signal: AbortSignal) => Promise<unknown>): Promise<unknown>
  /** Resolves when the platform's inventory shows it. */
  seen(what: () => boolean): Promise<void>
}

/** The suite's mark: what its VMs carry from the first moment on. */
export const mark = JSON.stringify({ owner: 'platform-contract' })

let numbered = 0

/** A subject with what the parts of the suite need. */
export function bench(subject: Subject): Bench {
  const { platform, world } = subject
  const never = () => new AbortController().signal
  const name = (label: string) => `contract-${label}-${++numbered}`
  const request = (chosen: string, more: Partial<CloneRequest> = {}): CloneRequest => ({
    name: chosen,
    annotation: mark,
    template: world.template,
    isOurs: vm => vm.annotation === mark,
    ...more,
  })
  const done = <T>(call: (signal: AbortSignal) => Promise<T>) => world.settle(call(never()))
  return {
    ...subject,
    name,
    request,
    vm: (label, more) => done(signal => platform.clone(request(name(label), more), signal)),
    done,
    failure: call =>
      done(call).then(
        value => {
          throw new Error(`it should have failed, but gave ${JSON.stringify(value)}`)
        },
        (error: unknown) => error,
      ),
    seen: async what => {
      for (let tries = 0; tries < 600; tries++) {
        if (platform.inventory.state.kind === 'live' && what()) return
        await world.pass(100)
      }
      throw new Error('the inventory does not show it after a minute')
    },
  }
}
