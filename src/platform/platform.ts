import type { Json } from '../kinds/index.ts'
import type { Secret } from '../ports/index.ts'

/** A virtual machine (or template) as the platform last reported it. Frozen. */
export interface Vm {
  /** The platform's own identifier; on vSphere the managed object id, `vm-42`. */
  readonly id: string
  readonly name: string
  readonly template: boolean
  readonly power: 'on' | 'off' | 'suspended'
  readonly cpus: number
  readonly memoryMB: number
  /** The free text that belongs to the VM and moves with it; here Aviary keeps its owner's mark. */
  readonly annotation: string
  /** The annotation read as JSON; undefined if it is not ours to understand. Untrusted: anyone with rights on the platform writes it. */
  readonly note: Json | undefined
  /** Addresses that the guest reports, v4 first. */
  readonly addresses: readonly string[]
  /** Whether programs can be started in the guest. */
  readonly guestReady: boolean
  /** When it was last powered on, milliseconds since 1970; undefined if the platform does not say. */
  readonly bootedAt: number | undefined
  readonly host: string | undefined
}

/** How far the picture of the platform can be believed. Decisions that rest on absence need `live`. */
export type InventoryState =
  | { readonly kind: 'unknown'; readonly since: number; readonly why: string }
  | { readonly kind: 'syncing'; readonly since: number; readonly why: string }
  | { readonly kind: 'live'; readonly since: number }

/** A VM before and after; `old` is undefined for a new one, `now` for one that is gone. */
export interface VmChange {
  readonly old: Vm | undefined
  readonly now: Vm | undefined
}

/** Every VM of the platform, kept current by a watch. Answers come from memory; own writes are visible as soon as they are done. */
export interface Inventory {
  readonly state: InventoryState
  /** Throws InventoryNotLive unless the state is `live`, so that "nothing there" is never mistaken for "not known". */
  all(): Iterable<Vm>
  byId(id: string): Vm | undefined
  byName(name: string): readonly Vm[]
  byAddress(address: string): readonly Vm[]
  templates(): Iterable<Vm>
  /** VMs by an index that was declared with `index`. */
  by(index: string, value: string): readonly Vm[]
  /** Declares an index: `inventory.index('owner', vm => …)`. Declaring it again with the same function does nothing. */
  index(name: string, values: (vm: Vm) => readonly string[]): void
  /** Told of every change, in order, after the indexes are current. */
  onChange(listener: (change: VmChange) => void): () => void
  /** Resolves when the state is `live`. */
  whenLive(signal: AbortSignal): Promise<void>
  /**
   * Resolves when the watch itself has shown a VM as this program last wrote it: whatever others did before that is then in the
   * picture as well. At once if there is nothing to confirm. Rejects with NotThere if the VM is gone.
   */
  confirmed(id: string, signal: AbortSignal): Promise<void>
}

/** Which network a VM's first card is on, and of which sort the card is. */
export interface NetworkSettings {
  /** The network (standard or distributed port group) by name. Absent: that of the template. */
  readonly network?: string
  readonly card: 'e1000' | 'e1000e' | 'vmxnet2' | 'vmxnet3' | 'pcnet32' | 'sriov'
}

/** How the guest gets its address: by DHCP, or this one. */
export type GuestAddress =
  | { readonly kind: 'dhcp' }
  | {
      readonly kind: 'static'
      readonly address: string
      readonly subnetMask: string
      /** Empty: none. */
      readonly gateway: string
      readonly dns: readonly string[]
    }

/** What to make of a template. */
export interface CloneRequest {
  /** Chosen and recorded by the caller before the call. */
  readonly name: string
  /** Carries the owner's mark from the first moment on. */
  readonly annotation: string
  /** Name of the template. */
  readonly template: string
  /** A linked clone shares the template's disk. Default true. */
  readonly linked?: boolean
  readonly cpus?: number
  readonly memoryMB?: number
  /** The first disk is grown to so many GiB (see `diskGB`). Where a linked clone's disk cannot grow, the clone is a full one. */
  readonly diskGB?: number
  readonly network?: NetworkSettings
  readonly guest?: { readonly hostName: string; readonly domain: string; readonly address: GuestAddress }
  readonly folder?: string
  readonly resourcePool?: string
  readonly datastore?: string
  /** Whether VMware Tools run scripts after power-on, and such settings of the platform. */
  readonly toolsAfterPowerOn?: boolean
  /** Recognises a VM of this name as the one that an earlier, unanswered call made. */
  readonly isOurs: (vm: Vm) => boolean
}

/** What to make of a VM that stands ready. */
export interface ClaimRequest {
  readonly id: string
  /** The state that the decision rests on: refused with ClaimLost if the VM is no longer named so, or is on. */
  readonly expectedName: string
  readonly name: string
  readonly annotation: string
  readonly cpus?: number
  readonly memoryMB?: number
  /** The first disk is grown to so many GiB; refused with DiskNotGrown, and nothing is changed, if it cannot grow. */
  readonly diskGB?: number
}

/** A program to start in a guest, and as whom. */
export interface GuestCommand {
  readonly user: string
  readonly password: Secret
  readonly program: string
  readonly args: string
  readonly folder?: string
  readonly environment?: Readonly<Record<string, string | Secret>>
}

/** A program in a guest. */
export interface GuestProgram {
  readonly process: number
  /** The program with its arguments, as the guest shows it. */
  readonly command: string
  readonly isOver: boolean
}

/** What the platform has to give, and what is taken; undefined where it does not say or sets no limit. */
export interface Capacity {
  readonly cpuMHz: { readonly limit: number | undefined; readonly unreserved: number; readonly used: number }
  readonly memoryMB: { readonly limit: number | undefined; readonly unreserved: number; readonly used: number }
}

/** Something under way on the platform. */
export interface PlatformTask {
  readonly id: string
  readonly operation: string
  /** The id of the VM that it works on; for a clone the name of the VM that is being made, where the platform tells it. */
  readonly target: string
  readonly state: 'queued' | 'running' | 'success' | 'error'
  readonly progress: number | undefined
  readonly since: number
  readonly problem: string | undefined
}

/** Something that happened to a VM. */
export interface PlatformEvent {
  readonly type: 'started' | 'poweredOff' | 'renamed' | 'created' | 'removed' | 'notCustomized' | 'other'
  readonly vm: string
  readonly name: string
  readonly time: number
  readonly message: string
}

/**
 * What a VM platform can do. Every call has a deadline of its own besides `signal`, is carried out at most once, and answers from
 * what is true: after a lost reply the implementation looks before it acts again. Errors are those of `errors.ts`: NotThere,
 * NameTaken, NoCapacity, NotPermitted, Busy, WrongPower, ClaimLost, DiskNotGrown, GuestLoginRefused, GuestNotReady, Unreachable,
 * SignInRefused, QuestionPending; DeadlineExceeded when the call's own deadline passes, the signal's reason when the caller gives up.
 * An abort cancels the task on the platform where it can be cancelled and never leaves one running unwatched; only one whose answer
 * was lost goes on, because nobody can tell it from somebody else's.
 */
export interface Platform {
  readonly name: string
  readonly inventory: Inventory

  /**
   * Makes a VM from a template, powered off. Resolves to the VM that carries the name and passes `isOurs`, whether this call made it
   * or an earlier one did. Rejects with NameTaken if the name belongs to somebody else, and makes nothing then.
   */
  clone(request: CloneRequest, signal: AbortSignal): Promise<Vm>

  /** Renames, marks and resizes a powered-off VM in as few steps as the platform takes. Calling it again after a crash completes it. */
  claim(request: ClaimRequest, signal: AbortSignal): Promise<Vm>

  /**
   * GiB of the first disk, asked of the platform; undefined if there is none. Disks only ever grow: a clone or claim that wants less
   * than there is leaves the disk alone, and who must tell somebody about that compares first.
   */
  diskGB(id: string, signal: AbortSignal): Promise<number | undefined>

  /** Gives a VM or template another name, at once if it has it already. Rejects with NameTaken if another VM has the name. */
  rename(id: string, name: string, signal: AbortSignal): Promise<Vm>

  /** Replaces the annotation, whether the VM is on or off. */
  annotate(id: string, annotation: string, signal: AbortSignal): Promise<Vm>

  /** Resolves when it is on; at once if it already was. */
  powerOn(id: string, signal: AbortSignal): Promise<Vm>

  /** Resolves when it is off; at once if it already was. */
  powerOff(id: string, signal: AbortSignal): Promise<Vm>

  /** Asks the guest to shut down. Rejects with GuestNotReady if it cannot be asked. */
  shutDown(id: string, signal: AbortSignal): Promise<void>

  /** Resolves with the first address that passes `accept`. */
  waitForAddress(id: string, accept: (address: string) => boolean, signal: AbortSignal): Promise<string>

  /** Resolves when the guest takes commands. */
  waitForGuest(id: string, signal: AbortSignal): Promise<void>

  /** Starts a program in the guest and resolves with its process id; does not wait for its end. */
  runInGuest(id: string, command: GuestCommand, signal: AbortSignal): Promise<number>

  /** The exit code of a program started by `runInGuest`, or undefined while it runs. */
  guestExit(
    id: string,
    process: number,
    credentials: Pick<GuestCommand, 'user' | 'password'>,
    signal: AbortSignal,
  ): Promise<number | undefined>

  /** The programs that run in the guest, and those that ended there a short while ago. */
  guestPrograms(id: string, credentials: Pick<GuestCommand, 'user' | 'password'>, signal: AbortSignal): Promise<readonly GuestProgram[]>

  /** Powers off and removes a VM with its disks. Resolves also if it was gone already. */
  destroy(id: string, signal: AbortSignal): Promise<void>

  /** Turns a powered-off VM into a template. */
  markAsTemplate(id: string, signal: AbortSignal): Promise<Vm>

  /** What the resource pool has left, from memory; rejects with NotThere, or Unreachable while it is not known. */
  capacity(resourcePool?: string): Promise<Capacity>

  /** What is under way, own and foreign, from memory. */
  tasks(): readonly PlatformTask[]

  /** What happened to a VM, oldest first. Old events age out: nothing may depend on them alone. */
  events(id: string, signal: AbortSignal): Promise<readonly PlatformEvent[]>

  /** Ends watches and signs out. Tasks under way go on. */
  close(): Promise<void>
}
