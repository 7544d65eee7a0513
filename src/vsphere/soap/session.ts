import { unlessAborted, Unreachable, type Clock, type Log, type Secret } from '../../ports/index.ts'
import { SignInRefused } from '../../platform/index.ts'
import { VimFault } from '../errors.ts'
import { child, childText, type XmlElement } from '../xml/element.ts'
import type { Ref, XmlFields } from '../xml/writer.ts'
import type { CallOptions, SoapClient } from './soap-client.ts'

const serviceInstance: Ref = { type: 'ServiceInstance', id: 'ServiceInstance' }

/** vCenter ends a session that is silent for half an hour. */
const keepAliveEvery = 5 * 60_000

/** Where vCenter's managers are, and what it is. */
export interface ServiceContent {
  readonly version: string
  readonly fullName: string
  /** `VirtualCenter`, or `HostAgent` for a single host. */
  readonly apiType: string
  /** The manager of that field of vCenter's ServiceContent. */
  manager(name: string): Ref
}

/** Who signs in where. */
export interface SessionOptions {
  readonly soap: SoapClient
  /** How errors call this vCenter. */
  readonly name: string
  readonly user: string
  readonly password: Secret
  readonly clock: Clock
  readonly log: Log
}

/**
 * One session with one vCenter. Whoever meets an ended session (it idled too long, an administrator ended it, vCenter restarted)
 * starts a new one, all callers wait for the same attempt, and the call that met it is made again: it certainly had no effect.
 * Wrong credentials are tried once; from then on every call is refused without asking, so that the account is not locked.
 */
export class Session {
  readonly #options: SessionOptions
  readonly #ending = new AbortController()
  readonly #listeners = new Set<() => void>()
  #content: ServiceContent | undefined
  #signingIn: Promise<void> | undefined
  #refused: Error | undefined
  #key = ''
  #generation = 0

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** Grows with each sign-in. What belongs to a session (views, filters, collectors) is gone when it does. */
  get generation(): number {
    return this.#generation
  }

  /** Told of each sign-in. Returns how to stop being told. */
  onSignIn(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Whether it was closed: nothing will be answered any more. */
  get isClosed(): boolean {
    return this.#ending.signal.aborted
  }

  /** vCenter's own name for this session. */
  get key(): string {
    return this.#key
  }

  /** Signs in if nobody is signed in; waits if somebody is just doing so. Rejects at once after a refusal or the end. */
  async content(signal?: AbortSignal): Promise<ServiceContent> {
    this.#ending.signal.throwIfAborted()
    if (this.#refused !== undefined) throw this.#refused
    if (this.#generation === 0 || this.#signingIn !== undefined) await unlessAborted(this.#signIn(this.#generation), signal)
    return this.#content as ServiceContent
  }

  /** Calls a method, with a new session if the old one has ended. */
  async call(method: string, target: Ref, args: XmlFields = {}, options: CallOptions = {}): Promise<XmlElement> {
    await this.content(options.signal)
    const generation = this.#generation
    try {
      return await this.#options.soap.call(method, target, args, options)
    } catch (error) {
      if (!isFault(error, 'NotAuthenticated')) throw error
    }
    await unlessAborted(this.#signIn(generation), options.signal)
    return this.#options.soap.call(method, target, args, options)
  }

  /** Signs out and makes no further call. */
  async close(): Promise<void> {
    this.#ending.abort(Unreachable({ target: this.#options.name, why: 'the connection was closed', sent: false }))
    await this.#signingIn?.catch(() => {})
    if (this.#generation === 0 || this.#refused !== undefined) return
    try {
      await this.#options.soap.call('Logout', this.#manager('sessionManager'))
    } catch (error) {
      this.#options.log.debug('not signed out of vCenter: it will end the session by itself', { error })
    }
  }

  /** One attempt for everybody who met the end of session number `generation`. */
  #signIn(generation: number): Promise<void> {
    if (this.#refused !== undefined) return Promise.reject(this.#refused)
    if (this.#generation !== generation) return Promise.resolve()
    this.#signingIn ??= this.#attempt().finally(() => (this.#signingIn = undefined))
    return this.#signingIn
  }

  async #attempt(): Promise<void> {
    const { soap, user, password, name, log } = this.#options
    const { signal } = this.#ending
    signal.throwIfAborted()
    soap.forget()
    try {
      this.#content = serviceContent(await soap.call('RetrieveServiceContent', serviceInstance, {}, { signal }))
      const answer = await soap.call('Login', this.#manager('sessionManager'), { userName: user, password }, { signal })
      this.#key = childText(child(answer, 'returnval') ?? answer, 'key') ?? ''
    } catch (error) {
      if (!VimFault.is(error) || !isFault(error, 'InvalidLogin', 'NoPermission', 'PasswordExpired')) throw error
      const { fault, message } = error.details
      this.#refused = SignInRefused({ platform: name, user, why: message === '' ? fault : `${fault} (${message})` }, { cause: error })
      throw this.#refused
    }
    if (this.#generation++ === 0) void this.#keepAlive()
    for (const tell of this.#listeners) tell()
    log.info('signed in to vCenter', { vcenter: name, user, version: this.#content.version, session: this.#generation })
  }

  async #keepAlive(): Promise<void> {
    const { clock, log } = this.#options
    const { signal } = this.#ending
    while (!signal.aborted) {
      try {
        await clock.sleep(keepAliveEvery, signal)
        await this.call('CurrentTime', serviceInstance, {}, { signal })
      } catch (error) {
        if (!signal.aborted) log.debug('vCenter did not answer the keep-alive', { error })
      }
    }
  }

  #manager(name: string): Ref {
    return (this.#content as ServiceContent).manager(name)
  }
}

/** Whether vCenter refused with one of these faults. */
export function isFault(error: unknown, ...faults: readonly string[]): boolean {
  return VimFault.is(error) && faults.includes(error.details.fault)
}

function serviceContent(answer: XmlElement): ServiceContent {
  const content = child(answer, 'returnval') ?? answer
  const about = child(content, 'about') ?? content
  const managers = new Map<string, Ref>()
  for (const { name, of, text } of content.children) if (of !== undefined) managers.set(name, { type: of, id: text })
  return {
    version: childText(about, 'version') ?? '',
    fullName: childText(about, 'fullName') ?? '',
    apiType: childText(about, 'apiType') ?? '',
    manager: name => managers.get(name) ?? { type: 'missing', id: name },
  }
}
