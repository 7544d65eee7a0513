import { Secret } from '../../ports/index.ts'
import type { GuestCommand } from '../../platform/index.ts'
import type { Session } from '../soap/session.ts'
import { child, childText, children } from '../xml/element.ts'
import { reference, typed, type Ref, type XmlFields } from '../xml/writer.ts'
import { refOf, retrieveOne } from './property-collector.ts'

/** A program in a guest. */
export interface GuestProcess {
  readonly id: number
  readonly owner: string
  readonly command: string
  readonly exitCode: number | undefined
  readonly ended: boolean
}

type Credentials = Pick<GuestCommand, 'user' | 'password'>

/** Starts programs in guests and looks at them, through VMware Tools. */
export class GuestOperations {
  readonly #session: Session
  #managers: { readonly processes: Ref; readonly logins: Ref } | undefined

  constructor(session: Session) {
    this.#session = session
  }

  /** Resolves if the guest accepts user and password. */
  async validate(vm: Ref, credentials: Credentials, signal: AbortSignal): Promise<void> {
    const { logins } = await this.#find(signal)
    const args = { vm: reference(vm), auth: login(credentials) }
    await this.#session.call('ValidateCredentialsInGuest', logins, args, { signal })
  }

  /** Starts a program and resolves with its process id. */
  async start(vm: Ref, command: GuestCommand, signal: AbortSignal): Promise<number> {
    const { processes } = await this.#find(signal)
    const spec = {
      programPath: command.program,
      arguments: command.args,
      workingDirectory: command.folder,
      envVariables: Object.entries(command.environment ?? {}).map(
        ([name, value]) => new Secret(`${name}=${value instanceof Secret ? value.reveal() : value}`),
      ),
    }
    const answer = await this.#session.call('StartProgramInGuest', processes, { vm: reference(vm), auth: login(command), spec }, { signal })
    return Number(childText(answer, 'returnval'))
  }

  /** The programs that the guest runs, or has run a moment ago. */
  async list(vm: Ref, credentials: Credentials, pids: readonly number[], signal: AbortSignal): Promise<readonly GuestProcess[]> {
    const { processes } = await this.#find(signal)
    const args = { vm: reference(vm), auth: login(credentials), pids: pids.length === 0 ? undefined : [...pids] }
    const answer = await this.#session.call('ListProcessesInGuest', processes, args, { signal })
    return children(answer, 'returnval').map(element => {
      const exitCode = childText(element, 'exitCode')
      return {
        id: Number(childText(element, 'pid')),
        owner: childText(element, 'owner') ?? '',
        command: childText(element, 'cmdLine') ?? '',
        exitCode: exitCode === undefined ? undefined : Number(exitCode),
        ended: child(element, 'endTime') !== undefined,
      }
    })
  }

  async #find(signal: AbortSignal) {
    if (this.#managers !== undefined) return this.#managers
    const manager = (await this.#session.content(signal)).manager('guestOperationsManager')
    const properties = await retrieveOne(this.#session, manager, ['processManager', 'authManager'], signal)
    this.#managers = { processes: refOf(properties?.get('processManager')), logins: refOf(properties?.get('authManager')) }
    return this.#managers
  }
}

function login({ user, password }: Credentials): XmlFields {
  return typed('NamePasswordAuthentication', { interactiveSession: false, username: user, password })
}
